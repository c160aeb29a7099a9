import type { JSX } from "preact";
import { functionView } from "../state/function_page";
import { compared } from "../state/graphs";
import { runs } from "../state/runs";
import { digest, phase, sessions } from "../state/store";
import { workersOf } from "../state/workers";
import { Detail } from "./detail/detail";
import { FunctionView } from "./function/page";
import { Graphs } from "./graphs/graphs";
import { Header } from "./header/header";
import { Help } from "./help/help";
import { TraceList } from "./list/list";
import { Runs } from "./runs/runs";
import { Empty, Failed, Loading } from "./states/states";
import { AreaBar } from "./timeline/area_bar";
import { Timeline } from "./timeline/timeline";
import { WorkersView } from "./workers/workers";

export function App(): JSX.Element {
  return (
    <div class="app">
      {content()}
      <Help />
    </div>
  );
}

function content(): JSX.Element {
  switch (phase.value) {
    case "loading":
      return <Loading />;
    case "failed":
      return <Failed />;
    case "empty":
      return (
        <>
          {(sessions.value.length > 0 || (digest.value?.notices.length ?? 0) > 0) && <Header />}
          <Empty />
        </>
      );
    case "ready":
      if (compared.value) return <Graphs />;
      if (runs.value) return <Runs />;
      if (workersOf.value) return <WorkersView />;
      if (functionView.value) return <FunctionView />;
      return (
        <>
          <Header />
          <main class="main">
            <div class="overview">
              <Timeline />
              <AreaBar />
              <TraceList />
            </div>
            <Detail />
          </main>
        </>
      );
  }
}
