"""How to tell the type of an op's first output. Written by scripts/make_op_outputs.py, not by hand.

`=float32`: always that; `T`: its attribute T; `Tout[0]`: the first type in its attribute Tout. The tests hold it to the
registries of the TensorFlow versions that they run on. The viewer has no TensorFlow to ask.
"""

from __future__ import annotations

_OPS = {
    "=bfloat16": """
        XlaDequantize
    """,
    "=bool": """
        All Any ApproximateEqual BoostedTreesCenterBias Equal Greater GreaterEqual InTopK InTopKV2
        IsBoostedTreesEnsembleInitialized IsBoostedTreesQuantileStreamResourceInitialized IsFinite IsInf IsNan
        IsResourceHandleRefCounting IsTPUEmbeddingInitialized IsTensorFloat32Enabled IsVariableInitialized Less
        LessEqual LogicalAnd LogicalNot LogicalOr LoopCond NotEqual OptionalHasValue QueueIsClosed QueueIsClosedV2
        RegexFullMatch ResourceInitializedOp RiscBinaryComparison RiscIsFinite RiscLogicalAnd RiscLogicalNot
        RiscLogicalOr ShutdownTPUSystem StaticRegexFullMatch TensorMapHasKey ToBool VarIsInitializedOp
    """,
    "=complex64": """
        BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D
    """,
    "=float32": """
        A AdjustContrast AudioSpectrogram B BoostedTreesAggregateStats BoostedTreesFlushQuantileSummaries
        BoostedTreesMakeQuantileSummaries BoostedTreesMakeStatsSummary BoostedTreesPredict
        BoostedTreesQuantileStreamResourceGetBucketBoundaries BoostedTreesTrainingPredict CTCLossV2
        CombinedNonMaxSuppression CropAndResize CropAndResizeGradBoxes CustomAggregator DecodeWav EditDistance
        ExtractGlimpse ExtractGlimpseV2 FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars
        FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient
        FiveFloatOutputs FloatOutput FloatOutputStringOutput Foo1 Foo2 Foo3 GenerateBoundingBoxProposals
        KmeansPlusPlusInitialization KthOrderStatistic LoadAndRemapMatrix MakeUnique Mfcc Namespace>TestStringOutput
        RecvTPUEmbeddingActivations RefOutputFloatOutput RequantizationRange RequantizationRangePerChannel ResizeArea
        ResizeBicubic ResizeBilinear RetrieveAllTPUEmbeddingParameters RetrieveTPUEmbeddingADAMParameters
        RetrieveTPUEmbeddingAdadeltaParameters RetrieveTPUEmbeddingAdagradMomentumParameters
        RetrieveTPUEmbeddingAdagradParameters RetrieveTPUEmbeddingCenteredRMSPropParameters
        RetrieveTPUEmbeddingFTRLParameters RetrieveTPUEmbeddingFrequencyEstimatorParameters
        RetrieveTPUEmbeddingMDLAdagradLightParameters RetrieveTPUEmbeddingMomentumParameters
        RetrieveTPUEmbeddingProximalAdagradParameters RetrieveTPUEmbeddingProximalYogiParameters
        RetrieveTPUEmbeddingRMSPropParameters RetrieveTPUEmbeddingStochasticGradientDescentParameters RiscRandomUniform
        ScaleAndTranslate SdcaOptimizer SdcaOptimizerV2 Simple SparseMatMul TPUEmbeddingActivations TensorArrayScatter
        TensorArrayScatterV2 TensorArrayScatterV3 TensorArraySplit TensorArraySplitV2 TensorArraySplitV3
        TensorArrayUnpack TensorArrayWrite TensorArrayWriteV2 TensorArrayWriteV3 TestStringOutput TopKUnique
        TopKWithUnique TwoFloatInputsFloatOutput TwoFloatOutputs XlaRecvTPUEmbeddingActivations
        XlaRecvTPUEmbeddingActivationsV2 XlaSparseCoreAdagrad XlaSparseCoreAdagradMomentum XlaSparseCoreAdam
        XlaSparseCoreFtrl XlaSparseCoreSgd XlaSparseDenseMatmul
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradAndCsrInput
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradMomentumAndCsrInput
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdamAndCsrInput
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithCsrInput
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithFtrlAndCsrInput
        XlaSparseDenseMatmulCustomCombinerOnTcGradWithSgdAndCsrInput XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput
        XlaSparseDenseMatmulGradWithAdagradAndCsrInput XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize
        XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput
        XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize XlaSparseDenseMatmulGradWithAdamAndCsrInput
        XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize XlaSparseDenseMatmulGradWithFtrlAndCsrInput
        XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize XlaSparseDenseMatmulGradWithSgdAndCsrInput
        XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize XlaSparseDenseMatmulWithStaticBufferSize
    """,
    "=float64": """
        DebugNumericSummary Timestamp
    """,
    "=int32": """
        AccumulatorNumAccumulated BarrierIncompleteSize BarrierReadySize BoostedTreesBucketize
        BoostedTreesCalculateBestFeatureSplit BoostedTreesCalculateBestFeatureSplitV2
        BoostedTreesCalculateBestGainsPerFeature BoostedTreesSparseAggregateStats
        BoostedTreesSparseCalculateBestFeatureSplit Bucketize CSRSparseMatrixComponents CollectiveAssignGroupV2
        ComplexStruct ComputeAccidentalHits ComputeDedupDataSize ComputeDedupDataSizeV2 ComputeDedupDataTupleMask
        ComputeDedupDataTupleMaskV2 ConfigureAndInitializeGlobalTPU ConvertToCooTensor
        ConvertToListOfSparseCoreCooTensors ConvertToSparseCoreCsrWrappedCooTensor DecodeProtoV2 DeviceIndex
        GetMinibatchSplitsWithPhysicalReplica GetMinibatchesInCsrWithPhysicalReplica
        GetStatsFromListOfSparseCoreCooTensors GetTpuTaskId GraphDefVersion IntInputIntOutput IntOutput
        IntOutputFloatOutput MapIncompleteSize MapSize MixedStruct NIntsOut NIntsOutDefault NonMaxSuppression
        NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps
        OpWithDefaultAttr OrderedMapIncompleteSize OrderedMapSize QueueSize QueueSizeV2 Rank RefInputFloatInputIntOutput
        RefOutput RequiresOlderGraphVersion ResourceAccumulatorNumAccumulated SetSize SimpleStruct
        SortListOfSparseCoreCooTensors SparseMatrixNNZ SparseMatrixOrderingAMD StageSize StatelessRandomGetAlg
        StringLength TPUOrdinalSelector TPURoundRobin TensorArraySize TensorArraySizeV2 TensorArraySizeV3
        TensorListLength TensorMapSize TwoFloatInputsIntOutput TwoIntOutputs UnicodeScript XlaReplicaId XlaSetBound
    """,
    "=int64": """
        AddManySparseToTensorsMap AddSparseToTensorsMap AllCandidateSampler BarrierTakeMany
        BoostedTreesGetEnsembleStates BoostedTreesSerializeEnsemble CSRSparseMatrixToSparseTensor CTCBeamSearchDecoder
        CTCGreedyDecoder ComputeBatchSize DatasetCardinality DebugNanCount DenseCountSparseOutput
        DenseToDenseSetOperation DenseToSparseSetOperation DeserializeManySparse DeserializeSparse
        ExperimentalDatasetCardinality FixedUnigramCandidateSampler GenerateVocabRemapping GetDeadline GlobalIterId
        Int64Output IntAttr KMC2ChainInitialization LearnedUnigramCandidateSampler LogUniformCandidateSampler
        LookupTableSize LookupTableSizeV2 MapUnstageNoKey MultiDeviceIteratorInit NearestNeighbors
        OrderedMapUnstageNoKey ParseExample ParseExampleV2 ParseSequenceExample ParseSequenceExampleV2
        ParseSingleExample ParseSingleSequenceExample RaggedCountSparseOutput RaggedFillEmptyRows RaggedTensorToSparse
        ReaderNumRecordsProduced ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted ReaderNumWorkUnitsCompletedV2
        RegisterDataset RngReadAndSkip RpcCheckStatus SdcaFprint SparseAccumulatorTakeGradient SparseAdd SparseConcat
        SparseCountSparseOutput SparseCross SparseCrossHashed SparseCrossV2 SparseFillEmptyRows SparseReduceMaxSparse
        SparseReduceSumSparse SparseReorder SparseReshape SparseSlice SparseSparseMaximum SparseSparseMinimum
        SparseSplit SparseToSparseSetOperation StringSplit StringSplitV2 StringToHashBucket StringToHashBucketFast
        StringToHashBucketStrong TakeManySparseFromTensorsMap ThreadUnsafeUnigramCandidateSampler
        UniformCandidateSampler Where
    """,
    "=resource": """
        AnonymousHashTable AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 AnonymousMemoryCache
        AnonymousMultiDeviceIterator AnonymousMultiDeviceIteratorV3 AnonymousMutableDenseHashTable
        AnonymousMutableHashTable AnonymousMutableHashTableOfTensors AnonymousRandomSeedGenerator AnonymousSeedGenerator
        BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp CollectiveInitializeCommunicator
        DummyIterationCounter DummyMemoryCache DummySeedGenerator ExperimentalStatsAggregatorHandle
        ExperimentalThreadPoolHandle FIFOQueueV2 FixedLengthRecordReaderV2 GetSessionHandleV2 HashTableV2
        IdentityReaderV2 Iterator IteratorFromStringHandle IteratorFromStringHandleV2 IteratorV2 MakeWeakResourceHandle
        MultiDeviceIterator MultiDeviceIteratorFromStringHandle MutableDenseHashTableV2 MutableHashTableOfTensorsV2
        MutableHashTableV2 MutexV2 OneShotIterator PaddingFIFOQueueV2 PriorityQueueV2 RandomShuffleQueueV2
        ResourceConditionalAccumulator RpcCall RpcClient RpcServer StackV2 StatsAggregatorHandle StatsAggregatorHandleV2
        StubResourceHandleOp SummaryWriter TFRecordReaderV2 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayV3
        TextLineReaderV2 ThreadPoolHandle VarHandleOp WholeFileReaderV2
    """,
    "=string": """
        AsString AudioSummary AudioSummaryV2 Barrier BoostedTreesExampleDebugOutputs CollateTPUEmbeddingMemory
        ConditionalAccumulator ConfigureDistributedTPU ConfigureTPUEmbeddingHost ConfigureTPUEmbeddingMemory
        DatasetToGraph DatasetToGraphV2 DecodeBase64 DecodeCompressed DecodeJSONExample DevicePlacementOp
        DtypeWithDefaultOp EncodeBase64 EncodeJpeg EncodeJpegVariableQuality EncodePng EncodeProto EncodeWav
        ExecuteTPUEmbeddingPartitioner ExperimentalIteratorGetDevice ExperimentalStatsAggregatorSummary FIFOQueue Fact
        FakeQueue FinalizeTPUEmbeddingV2 FixedLengthRecordReader GetOptions GetSessionHandle HashTable HistogramSummary
        IdentityReader ImageSummary IteratorGetDevice IteratorGetModelProto IteratorToStringHandle KernelLabel
        KernelLabelRequired LMDBReader MatchingFiles MergeSummary MultiDeviceIteratorToStringHandle
        MutableDenseHashTable MutableHashTable MutableHashTableOfTensors PaddingFIFOQueue PriorityQueue
        RandomShuffleQueue ReadFile ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 ReaderSerializeState
        ReaderSerializeStateV2 RecordInput ReduceJoin RegexReplace RegisterDatasetV2 ScalarSummary SerializeTensor
        ShardedFilename ShardedFilespec Skipgram SparseConditionalAccumulator Stack StaticRegexReplace
        StatsAggregatorSummary StringFormat StringJoin StringLower StringNGrams StringStrip StringUpper Substr
        TFRecordReader TPUCompilationResult TPUCompile TensorArray TensorArrayGrad TensorArrayGradV2 TensorArrayV2
        TensorSummary TensorSummaryV2 TextLineReader TpuHandleToProtoKey UnicodeEncode UnicodeTranscode
        UnsortedSegmentJoin WholeFileReader WorkerHeartbeat
    """,
    "=uint64": """
        DatasetFingerprint StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg XlaRngBitGenerator
    """,
    "=uint8": """
        DecodeAndCropJpeg DecodeBmp DecodeGif DecodeJpeg Fingerprint PopulationCount
    """,
    "=variant": """
        AssertCardinalityDataset AssertNextDataset AssertPrevDataset AutoShardDataset BatchDataset BatchDatasetV2
        BytesProducedStatsDataset CSVDataset CSVDatasetV2 CacheDataset CacheDatasetV2 ChooseFastestBranchDataset
        ChooseFastestDataset CompositeTensorVariantFromComponents CompressElement ConcatenateDataset DataServiceDataset
        DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4 DatasetFromGraph DenseToCSRSparseMatrix
        DenseToSparseBatchDataset DirectedInterleaveDataset EmptyTensorList EmptyTensorMap ExperimentalAssertNextDataset
        ExperimentalAutoShardDataset ExperimentalBytesProducedStatsDataset ExperimentalCSVDataset
        ExperimentalChooseFastestDataset ExperimentalDenseToSparseBatchDataset ExperimentalDirectedInterleaveDataset
        ExperimentalGroupByReducerDataset ExperimentalGroupByWindowDataset ExperimentalIgnoreErrorsDataset
        ExperimentalLMDBDataset ExperimentalLatencyStatsDataset ExperimentalMapAndBatchDataset ExperimentalMapDataset
        ExperimentalMatchingFilesDataset ExperimentalMaxIntraOpParallelismDataset ExperimentalNonSerializableDataset
        ExperimentalParallelInterleaveDataset ExperimentalParseExampleDataset ExperimentalPrivateThreadPoolDataset
        ExperimentalRandomDataset ExperimentalRebatchDataset ExperimentalScanDataset
        ExperimentalSetStatsAggregatorDataset ExperimentalSleepDataset ExperimentalSlidingWindowDataset
        ExperimentalSqlDataset ExperimentalTakeWhileDataset ExperimentalThreadPoolDataset ExperimentalUnbatchDataset
        ExperimentalUniqueDataset FilterByLastComponentDataset FilterDataset FinalizeDataset FixedLengthRecordDataset
        FixedLengthRecordDatasetV2 FlatMapDataset GeneratorDataset GlobalShuffleDataset GroupByReducerDataset
        GroupByWindowDataset IgnoreErrorsDataset IndexFlatMapDataset InterleaveDataset IteratorGetNextAsOptional
        LMDBDataset LatencyStatsDataset LegacyParallelInterleaveDatasetV2 ListDataset ListSnapshotChunksDataset
        LoadDataset MapAndBatchDataset MapDataset MatchingFilesDataset MaxIntraOpParallelismDataset MergeDedupData
        ModelDataset MutexLock NonSerializableDataset OptimizeDataset OptimizeDatasetV2 OptionalFromValue OptionalNone
        OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 ParallelBatchDataset ParallelFilterDataset
        ParallelInterleaveDataset ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4
        ParallelMapDataset ParallelMapDatasetV2 ParseExampleDataset ParseExampleDatasetV2 PrefetchDataset Prelinearize
        PrelinearizeTuple PrivateThreadPoolDataset RaggedTensorToVariant RandomDataset RandomDatasetV2 RangeDataset
        RebatchDataset RebatchDatasetV2 RepeatDataset RewriteDataset SamplingDataset SaveDatasetV2 ScanDataset
        SerializeIterator SetStatsAggregatorDataset ShardDataset ShuffleAndRepeatDataset ShuffleAndRepeatDatasetV2
        ShuffleDataset ShuffleDatasetV2 ShuffleDatasetV3 SkipDataset SleepDataset SlidingWindowDataset
        SnapshotChunkDataset SnapshotDataset SnapshotDatasetReader SnapshotDatasetV2 SnapshotNestedDatasetReader
        SparseMatrixAdd SparseMatrixMul SparseMatrixSoftmax SparseMatrixSoftmaxGrad SparseMatrixSparseCholesky
        SparseMatrixSparseMatMul SparseMatrixTranspose SparseMatrixZeros SparseTensorSliceDataset
        SparseTensorToCSRSparseMatrix SqlDataset TFRecordDataset TFRecordDatasetV2 TakeDataset TakeWhileDataset
        TensorDataset TensorListConcatLists TensorListFromTensor TensorListPopBack TensorListPushBack
        TensorListPushBackBatch TensorListReserve TensorListResize TensorListScatter TensorListScatterIntoExistingList
        TensorListScatterV2 TensorListSetItem TensorListSplit TensorMapErase TensorMapInsert TensorSliceDataset
        TextLineDataset ThreadPoolDataset UnbatchDataset UniqueDataset UnwrapDatasetVariant WeightedFlatMapDataset
        WindowDataset WindowOp WrapDatasetVariant XlaRecvTPUEmbeddingDeduplicationData
        XlaRecvTPUEmbeddingDeduplicationDataV2 ZipDataset
    """,
    "DstT": """
        Cast RiscBitcast RiscCast RiscCondition
    """,
    "K": """
        XlaKeyValueSort
    """,
    "OUT_TYPE[0]": """
        DecodeCSV
    """,
    "S": """
        CudnnRNNParamsSize
    """,
    "T": """
        Abs AccumulateNV2 Acos Acosh Add AddN AddV2 AdjustContrastv2 AdjustHue AdjustSaturation AllToAll ApplyAdaMax
        ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign ApplyCenteredRMSProp ApplyFtrl
        ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent
        ApplyRMSProp ApproxTopK Asin Asinh Assign AssignAdd AssignSub Atan Atan2 Atanh AvgPool AvgPool3D AvgPool3DGrad
        AvgPoolGrad BandedTriangularSolve BatchCholesky BatchCholeskyGrad BatchMatMul BatchMatMulV2 BatchMatrixBandPart
        BatchMatrixDeterminant BatchMatrixDiag BatchMatrixDiagPart BatchMatrixInverse BatchMatrixSetDiag
        BatchMatrixSolve BatchMatrixSolveLs BatchMatrixTriangularSolve BatchNormWithGlobalNormalization
        BatchNormWithGlobalNormalizationGrad BatchSelfAdjointEig BatchSelfAdjointEigV2 BatchSvd BatchToSpace
        BatchToSpaceND BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e
        BesselY0 BesselY1 Betainc BiasAdd BiasAddGrad BiasAddV1 Binary Bincount BitwiseAnd BitwiseOr BitwiseXor
        BlockLSTM BlockLSTMGrad BlockLSTMGradV2 BlockLSTMV2 BroadcastArgs BroadcastGradientArgs BroadcastTo CTCLoss Ceil
        CheckNumerics CheckNumericsV2 CheckPinned Cholesky CholeskyGrad ClipByValue CollectiveAllToAllV2
        CollectiveAllToAllV3 CollectiveBcastRecv CollectiveBcastRecvV2 CollectiveBcastSend CollectiveBcastSendV2
        CollectiveGather CollectiveGatherV2 CollectivePermute CollectiveReduce CollectiveReduceScatterV2
        CollectiveReduceV2 CollectiveReduceV3 Concat ConcatV2 Conj ConjugateTranspose Conv Conv2D Conv2DBackpropFilter
        Conv2DBackpropFilterV2 Conv2DBackpropInput Conv2DBackpropInputV2 Conv3D Conv3DBackpropFilter
        Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 Copy CopyHost CopyOp CopyToMesh CopyToMeshGrad
        Cos Cosh CountUpTo CropAndResizeGradImage Cross CrossReplicaSum CudnnRNN CudnnRNNBackprop CudnnRNNBackpropV2
        CudnnRNNBackpropV3 CudnnRNNCanonicalToParams CudnnRNNCanonicalToParamsV2 CudnnRNNParamsToCanonical
        CudnnRNNParamsToCanonicalV2 CudnnRNNV2 CudnnRNNV3 Cumprod Cumsum CumulativeLogsumexp DTensorAllGather
        DTensorAllReduce DTensorAllScatter DTensorAllToAll DTensorReduceScatter DataFormatDimMap DataFormatVecPermute
        Dawsn DebugGradientIdentity DebugGradientRefIdentity DebugIdentity DebugIdentityV2 DebugIdentityV3 DeepCopy
        DenseBincount DepthToSpace DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter
        DepthwiseConv2dNativeBackpropInput DestroyTemporaryVariable Diag DiagPart Digamma Dilation2D
        Dilation2DBackpropFilter Dilation2DBackpropInput Div DivNoNan DrawBoundingBoxes DrawBoundingBoxesV2
        DynamicPartition DynamicStitch Einsum Elu EluGrad EnsureShape Enter Erf Erfc Erfinv EuclideanNorm Exit Exp
        ExpandDims Expint Expm1 ExtractImagePatches ExtractVolumePatches Fill Floor FloorDiv FloorMod FractionalAvgPool
        FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad FresnelCos FresnelSin FusedBatchNorm
        FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 FusedPadConv2D
        FusedResizeAndPadConv2D GRUBlockCell GRUBlockCellGrad GuaranteeConst HSVToRGB Identity Igamma IgammaGradA
        Igammac InplaceAdd InplaceSub InplaceUpdate Inv InvGrad Invert InvertPermutation L2Loss LRN LRNGrad
        LSTMBlockCell LSTMBlockCellGrad LeakyRelu LeakyReluGrad LeftShift Lgamma LinSpace ListDiff Log Log1p
        LogMatrixDeterminant LogSoftmax Lu MatMul MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart
        MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixExponential MatrixInverse MatrixLogarithm
        MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve MatrixSolveLs MatrixSquareRoot MatrixTriangularSolve
        Max MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2
        MaxPoolGradGradWithArgmax MaxPoolGradV2 MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax Maximum Mean Merge Min
        Minimum MirrorPad MirrorPadGrad Mod Mul MulNoNan NPolymorphicOut NPolymorphicOutDefault NPolymorphicRestrictOut
        NcclAllReduce NcclBroadcast NcclReduce Ndtri Neg NextAfter NextIteration NthElement OneHot OnesLike OutT Pack
        Pad PadV2 ParallelConcat ParallelDynamicStitch Polygamma Polymorphic PolymorphicDefaultOut PolymorphicOut Pow
        PreventGradient Print Prod Qr QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3
        QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad QuantizeV2 QuantizedAvgPool QuantizedConcat
        QuantizedConcatV2 QuantizedInstanceNorm QuantizedMaxPool QuantizedReshape QuantizedResizeBilinear RGBToHSV
        RaggedBincount RaggedFillEmptyRowsGrad RaggedTensorToTensor RandomCrop RandomGamma RandomGammaGrad RandomShuffle
        ReadVariableXlaSplitND RealDiv Reciprocal ReciprocalGrad RefEnter RefExit RefIdentity RefMerge RefNextIteration
        RefOut RefSelect RefSwitch Relayout RelayoutLike Relu Relu6 Relu6Grad ReluGrad Reshape ResizeBicubicGrad
        ResizeBilinearGrad ResizeNearestNeighbor ResizeNearestNeighborGrad ResourceCountUpTo Restrict Reverse
        ReverseSequence ReverseV2 RightShift Rint RiscAbs RiscAdd RiscBinaryArithmetic RiscBroadcast RiscCeil
        RiscCholesky RiscConcat RiscConv RiscCos RiscDiv RiscDot RiscExp RiscFloor RiscLog RiscMax RiscMin RiscMul
        RiscNeg RiscPad RiscPool RiscPow RiscReduce RiscRem RiscReshape RiscReverse RiscScatter RiscSign RiscSlice
        RiscSort RiscSqueeze RiscSub RiscTranspose RiscTriangularSolve RiscUnary Roll Round Rsqrt RsqrtGrad
        SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 ScaleAndTranslateGrad ScatterAdd ScatterDiv ScatterMax
        ScatterMin ScatterMul ScatterNd ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdNonAliasingAdd ScatterNdSub
        ScatterNdUpdate ScatterSub ScatterUpdate SegmentMax SegmentMaxV2 SegmentMean SegmentMin SegmentMinV2 SegmentProd
        SegmentProdV2 SegmentSum SegmentSumV2 Select SelectV2 SelfAdjointEig SelfAdjointEigV2 Selu SeluGrad Sigmoid
        SigmoidGrad Sign Sin Sinh SleepIdentityOp Slice Snapshot Softmax SoftmaxCrossEntropyWithLogits Softplus
        SoftplusGrad Softsign SoftsignGrad SpaceToBatch SpaceToBatchND SpaceToDepth SparseAddGrad SparseApplyAdadelta
        SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl
        SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent
        SparseApplyRMSProp SparseBincount SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul
        SparseFillEmptyRowsGrad SparseMatrixMatMul SparseReduceMax SparseReduceSum SparseSegmentMean
        SparseSegmentMeanGrad SparseSegmentMeanGradV2 SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
        SparseSegmentSqrtNGrad SparseSegmentSqrtNGradV2 SparseSegmentSqrtNWithNumSegments SparseSegmentSum
        SparseSegmentSumGrad SparseSegmentSumGradV2 SparseSegmentSumWithNumSegments SparseSliceGrad SparseSoftmax
        SparseSoftmaxCrossEntropyWithLogits SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense Spence Split
        SplitV Sqrt SqrtGrad Square SquaredDifference Squeeze StackPush StackPushV2 StatelessSampleDistortedBoundingBox
        StatelessShuffle StopGradient StridedSlice StridedSliceAssign StridedSliceGrad Sub Sum Svd Switch
        TPUPartitionedInput TPUPartitionedInputV2 TPUPartitionedOutput TPUPartitionedOutputV2 TPUReplicatedInput
        TPUReplicatedOutput Tan Tanh TanhGrad TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub
        TensorScatterUpdate TensorStridedSliceUpdate TestAttr Tile TileGrad TopK TopKV2 Transpose TridiagonalMatMul
        TridiagonalSolve TruncateDiv TruncateMod Unary Unbatch UnbatchGrad UniformQuantizedAdd
        UniformQuantizedClipByValue Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 Unpack UnsortedSegmentMax
        UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy XlaAllReduce XlaBroadcastHelper XlaClusterOutput
        XlaConcatND XlaConv XlaDot XlaDynamicSlice XlaDynamicUpdateSlice XlaEinsum XlaGather XlaPad XlaReduce
        XlaReducePrecision XlaReduceScatter XlaReduceWindow XlaRemoveDynamicDimensionSize XlaScatter XlaSelectAndScatter
        XlaSelfAdjointEig XlaSetDynamicDimensionSize XlaSharding XlaSort XlaSparseDenseMatmulGradWithCsrInput
        XlaSparseDenseMatmulWithCsrInput XlaSplitND XlaSpmdFullToShardShape XlaSpmdShardToFullShape XlaSvd
        XlaVariadicReduce Xlog1py Xlogy ZerosLike Zeta
    """,
    "T[0]": """
        Batch For IdentityN ListOutput OutTypeList RiscWhile StatelessWhile TPUAnnotateTensorsWithDynamicShape
        TPUCopyWithDynamicShape While XlaOptimizationBarrier XlaVariadicReduceV2 XlaVariadicSort XlaWhile
    """,
    "Tcomplex": """
        FFT FFT2D FFT3D FFTND IFFT IFFT2D IFFT3D IFFTND RFFT RFFT2D RFFT3D RFFTND RiscFft
    """,
    "Tcomponents[0]": """
        CompositeTensorVariantToComponents
    """,
    "Tidx": """
        Range UnravelIndex
    """,
    "Tkeys": """
        LookupTableExport LookupTableExportV2
    """,
    "Tout": """
        Angle BatchMatMulV3 Complex ComplexAbs Eig Imag LookupTableFind LookupTableFindV2 RandomUniformInt Real RiscImag
        RiscReal StochasticCastToInt UniformDequantize UniformQuantize UniformQuantizedConvolution
        UniformQuantizedConvolutionHybrid UniformQuantizedDot UniformQuantizedDotHybrid UniformRequantize
    """,
    "Tout[0]": """
        BatchFunction Case EagerPyFunc If PartitionedCall PyFunc PyFuncStateless RemoteCall RpcGetValue
        StatefulPartitionedCall StatelessCase StatelessIf SymbolicGradient TPUPartitionedCall TfLiteSubgraphExecute
        XlaCallModule XlaIf
    """,
    "Toutput": """
        QuantizedAdd QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndDequantize
        QuantizedMatMulWithBiasAndRelu QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize
        QuantizedMul XlaRecvFromHost
    """,
    "Toutputs[0]": """
        MlirPassthroughOp XlaHostCompute
    """,
    "Tparams": """
        Gather GatherNd GatherV2 RiscGather
    """,
    "Treal": """
        IRFFT IRFFT2D IRFFT3D IRFFTND
    """,
    "Tresults[0]": """
        TPUExecute TPUExecuteAndUpdateVariables XlaLaunch XlaLaunchV2
    """,
    "Tsplits": """
        RaggedGather RaggedRange RaggedTensorFromVariant UnicodeDecode UnicodeDecodeWithOffsets
    """,
    "Tvalues": """
        RaggedTensorToVariantGradient
    """,
    "component_types[0]": """
        QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2
    """,
    "dt": """
        Restore RestoreSlice
    """,
    "dtype": """
        AccumulatorTakeGradient Const DecodeImage DecodeJxl DecodePng DecodeWebP Dequantize Empty FakeParam
        GetSessionTensor HistogramFixedWidth HostConst ImageProjectiveTransformV2 ImageProjectiveTransformV3
        ImmutableConst InfeedDequeue NonDeterministicInts OutfeedDequeue OutfeedDequeueV2 ParameterizedTruncatedNormal
        Placeholder PlaceholderV2 PlaceholderWithDefault RandomIndexShuffle RandomPoisson RandomPoissonV2
        RandomStandardNormal RandomUniform ReadVariableOp ResourceAccumulatorTakeGradient ResourceGather
        ResourceGatherNd SobolSample StatefulRandomBinomial StatefulStandardNormal StatefulStandardNormalV2
        StatefulTruncatedNormal StatefulUniform StatefulUniformFullInt StatefulUniformInt
        StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3
        StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform
        StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatelessRandomUniformInt
        StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2
        TPUDummyInput TemporaryVariable TensorArrayConcat TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGather
        TensorArrayGatherV2 TensorArrayGatherV3 TensorArrayPack TensorArrayRead TensorArrayReadV2 TensorArrayReadV3
        TruncatedNormal Variable VariableV2 XlaCustomCall XlaRecv XlaSparseActivationsUnstack XlaSparseGradientsStack
    """,
    "dtypes[0]": """
        DTensorRestoreV2 InfeedDequeueTuple MapPeek MapUnstage OrderedMapPeek OrderedMapUnstage OutfeedDequeueTuple
        OutfeedDequeueTupleV2 RestoreV2 StagePeek Unstage
    """,
    "elem_type": """
        StackPop StackPopV2
    """,
    "element_dtype": """
        TensorListConcat TensorListConcatV2 TensorListGather TensorListGetItem TensorListStack
    """,
    "integer_type": """
        SplitDedupData
    """,
    "key_dtype": """
        TensorMapStackKeys
    """,
    "out_type": """
        AudioMicrofrontend DecodePaddedRaw DecodeRaw LowerBound ParseTensor QuantizeDownAndShrinkRange
        QuantizedBatchNormWithGlobalNormalization QuantizedBiasAdd QuantizedConv2D QuantizedConv2DAndRelu
        QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize QuantizedConv2DPerChannel
        QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize
        QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize
        QuantizedConv2DWithBiasSumAndRelu QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D
        QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu
        QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizedRelu QuantizedRelu6 QuantizedReluX Requantize
        RequantizePerChannel RiscShape SerializeManySparse SerializeSparse Shape ShapeN Size StringToNumber UpperBound
        VariableShape
    """,
    "out_values_type": """
        RaggedCross
    """,
    "output_dtype": """
        DebugNumericSummaryV2 IsotonicRegression Multinomial StatelessMultinomial
    """,
    "output_type": """
        ArgMax ArgMin ExtractJpegShape
    """,
    "output_types[0]": """
        DatasetToSingleElement GetElementAtIndex IteratorGetNext IteratorGetNextSync MapDefun
        MultiDeviceIteratorGetNextFromShard OptionalGetValue ReduceDataset UncompressElement
    """,
    "preferred_element_type": """
        XlaConvV2 XlaDotV2
    """,
    "result_dtypes[0]": """
        XlaCustomCallV2
    """,
    "shape_type": """
        ConcatOffset TensorListElementShape
    """,
    "t[0]": """
        OutTypeListRestrict
    """,
    "tensor_type": """
        Recv
    """,
    "type": """
        Bitcast CSRSparseMatrixToDense
    """,
    "value_dtype": """
        TensorMapLookup
    """,
}

#: Rule by op; ops without outputs are not in it.
RULE_OF_OP = {op: rule for rule, ops in _OPS.items() for op in ops.split()}
