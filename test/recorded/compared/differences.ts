import type { Compared } from './compared.ts'
import { mapRuns } from './compared.ts'
import {
  withAdoptedStepEnds,
  withJoinedDeltas,
  withoutLastSnapshot,
  withPauseReported,
  withoutStartsTakenBack,
  withoutOtherTabs,
  withoutSnapshotsOfMute,
  withoutWhatCameBefore,
  withStepUnderWay,
} from './handles.ts'
import { withNamedMessages } from './message-ids.ts'
import {
  withImportedResultsAsRead,
  withNobodyAtWaits,
  withoutAsking,
  withoutConsents,
  withoutInputsOfModels,
  withoutNewOfPending,
  withoutNewRecordFields,
  withoutPartialThoughts,
  withoutTimes,
  withoutWarningsOfFollowers,
  withoutWarningsOfPolicies,
  withoutWordsOfOthers,
  withoutRefusals,
  withProviders,
  withSentences,
} from './stored.ts'
import { withWaitsAndEnds, withoutOtherViews } from './snapshots.ts'
import { withDeletedInOneWord, withoutDoubts, withoutUnstoredDetails } from './results.ts'

/** An intended difference from the code before format 2. `apply` makes both sides comparable. */
export interface Difference {
  readonly name: string
  /** The recording that it changes. `old`: the old recording becomes what is expected now. */
  readonly to: 'old' | 'now' | 'both'
  readonly apply: (recording: Compared, scenario: string) => Compared
}

/**
 * A person in these waits for what a page shows, which is notified a frame earlier or later; or for something
 * that is followed by nothing, and the world's clock goes on to the next timer.
 */
const TIMED: ReadonlySet<string> = new Set([
  'while a run asks for consent, another tab begins another run',
  '4: a crash at tool-execution-start 1',
  '5: a crash, and questions at text-end 1, then a full storage at tool-result 2',
  'a crash loop, a reload, and going on',
  // The next workers wait, the longer the more of them died.
  'the worker dies three times',
  'a question beside a consent and a call',
  'one-shot: two outputs',
  'the first agent is disposed, and the second goes on',
  'a history of OpenAI with an open call',
  'a history of Anthropic with an open call',
  'a history of Offstage with an open call',
  'a history with an open call, after a reload',
  'a run without a message: agreed to',
  'a run without a message: reloaded, and agreed to',
  'a run without a message: whose page crashes in the last text',
  'a run without a message: that a second agent follows',
  'a run without a message: that is aborted',
])

/**
 * Scenarios with a different timing. Pending deltas are now sent as soon as a tool reports progress. So the page shows
 * them before it, and whoever waits for the next event acts up to 40 ms earlier.
 */
const ANOTHER_COURSE: ReadonlySet<string> = new Set([
  '11: a full storage at tool-result 1, then a crash at tool-execution-start 1',
  '26: an abort at tool-result 1',
])

/** In one-shot mode, with an imported history. */
const IMPORTED: ReadonlySet<string> = new Set([
  'a history that is cleared while calls wait for outputs',
])

const NOTHING: Compared = {
  runs: [],
  conversations: {},
  snapshots: {},
  requests: [],
  executions: [],
  answers: [],
  notices: [],
}

/** In the order in which they are applied. */
export const differences: readonly Difference[] = [
  {
    name: 'another course',
    to: 'both',
    apply: (each, scenario) => (ANOTHER_COURSE.has(scenario) ? NOTHING : each),
  },
  { name: 'records', to: 'both', apply: withoutNewRecordFields },
  { name: 'pending calls', to: 'now', apply: withoutNewOfPending },
  { name: 'imported results', to: 'both', apply: withImportedResultsAsRead },
  { name: 'thoughts of partial answers', to: 'now', apply: withoutPartialThoughts },
  { name: 'advice', to: 'old', apply: withSentences },
  { name: 'refusals', to: 'both', apply: withoutRefusals },
  { name: 'providers', to: 'old', apply: withProviders },
  { name: 'warnings of followers', to: 'old', apply: withoutWarningsOfFollowers },
  { name: 'joined deltas', to: 'both', apply: (each) => mapRuns(each, withJoinedDeltas) },
  {
    name: 'runs that go on elsewhere',
    to: 'both',
    apply: withoutOtherTabs,
  },
  { name: 'the step under way', to: 'old', apply: (each) => mapRuns(each, withStepUnderWay) },
  { name: 'ends of adopted steps', to: 'old', apply: (each) => mapRuns(each, withAdoptedStepEnds) },
  {
    name: 'runs without a message',
    to: 'both',
    apply: (each) => mapRuns(each, withoutSnapshotsOfMute),
  },
  {
    name: 'taken up by an answer',
    to: 'both',
    apply: (each, scenario) => mapRuns(each, ({ run }) => withoutWhatCameBefore(run, scenario)),
  },
  {
    name: 'paused for whoever follows',
    to: 'old',
    apply: (each) => mapRuns(each, withPauseReported),
  },
  { name: 'ended meanwhile', to: 'now', apply: (each) => mapRuns(each, withoutLastSnapshot) },
  { name: 'starts taken back', to: 'both', apply: (each) => mapRuns(each, withoutStartsTakenBack) },
  { name: 'calls cut off by a stop', to: 'both', apply: withoutDoubts },
  { name: 'deletions', to: 'old', apply: withDeletedInOneWord },
  { name: 'unstored ends', to: 'both', apply: (each) => mapRuns(each, withoutUnstoredDetails) },
  {
    name: 'times',
    to: 'both',
    apply: (each, scenario) => (TIMED.has(scenario) ? withoutTimes(each) : each),
  },
  { name: 'consents', to: 'both', apply: withoutConsents },
  { name: 'inputs of models', to: 'old', apply: withoutInputsOfModels },
  { name: 'words of others', to: 'now', apply: withoutWordsOfOthers },
  {
    name: 'asking about words of others',
    to: 'both',
    apply: (each, scenario) => (IMPORTED.has(scenario) ? withoutAsking(each) : each),
  },
  { name: 'who drives a run that waits', to: 'old', apply: withNobodyAtWaits },
  { name: 'warnings of policies', to: 'now', apply: withoutWarningsOfPolicies },
  { name: 'snapshots', to: 'both', apply: withWaitsAndEnds },
  { name: 'other views', to: 'both', apply: withoutOtherViews },
  { name: 'message ids', to: 'both', apply: withNamedMessages },
]
