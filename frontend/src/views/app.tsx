import type { JSX } from "preact";
import { phase } from "../state/store";
import { Detail } from "./detail/detail";
import { Header } from "./header/header";
import { Help } from "./help/help";
import { TraceList } from "./list/list";
import { Empty, Failed, Loading } from "./states/states";
import { Timeline } from "./timeline/timeline";

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
          <Header />
          <Empty />
        </>
      );
    case "ready":
      return (
        <>
          <Header />
          <main class="main">
            <div class="overview">
              <Timeline />
              <TraceList />
            </div>
            <Detail />
          </main>
        </>
      );
  }
}
