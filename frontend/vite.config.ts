import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The tab as ES modules that TensorBoard imports: `index.js` (exports `render`) and what it needs in `static/`. */
export default defineConfig({
  base: "./",
  publicDir: false,
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "static/[name]-[hash].js", chunkFileNames: "static/[name]-[hash].js" } } },
  build: {
    target: "es2022",
    outDir: fileURLToPath(new URL("../tb_retrace_plugin/backend/static", import.meta.url)),
    emptyOutDir: true,
    modulePreload: false,
    rollupOptions: {
      input: { index: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: "index.js",
        chunkFileNames: "static/[name]-[hash].js",
        assetFileNames: "static/[name]-[hash][extname]",
      },
    },
  },
  test: { include: ["src/**/*.test.{ts,tsx}"], environment: "node", testTimeout: 60_000 },
});
