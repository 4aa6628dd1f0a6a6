/** More tests than this that pass only when alone fail the run: then they are no longer accidents. */
export const MAX_FORGIVEN = 3

/** With more failures than this the run has failed, whatever a second try says. */
export const MAX_RETRIED = 20

/**
 * Tests that are never forgiven. A pass alone shows a race, and these promises must hold in every order of events:
 * a lost race loses data, repeats a side effect, or acts without approval.
 */
export const NEVER_FORGIVEN = [
  {
    promise: 'durability',
    files: [
      /^test\/unit\/(worker|conversation|http-store)\//,
      /^test\/unit\/client\/(adoption|crashed-run|execute-tool|executions|joining|recovery|remount|runs|supervision)\./,
      /^test\/recorded\//,
      /^test\/browser\/(crash|faults|frozen|http-store|leaving|page-cache|page-life|reload|soak|storage|store-contract|supervision|torture|torture-cells|transfer|versions)\./,
    ],
  },
  {
    promise: 'tabs',
    files: [
      /^test\/unit\/testing\/(family-devices|locks)\./,
      /^test\/browser\/(page-tools-tabs|sub-agents-tabs|tabs|torture-tabs)\./,
    ],
  },
  {
    promise: 'approval',
    files: [
      /^test\/unit\/(attack|taint)\//,
      /^test\/unit\/client\/(paused|person-check|policies|press-returned|press-track)\./,
      /^test\/unit\/testing\/(consents|questions|sealed)\./,
      /^test\/browser\/(attack|chat-cards|chat-policy|page-tools-asked|policy|sealed|taint)\./,
      /^test\/browser\/consent(-\w+)?\./,
    ],
  },
  {
    promise: 'streams',
    files: [
      /^test\/unit\/(action|providers)\//,
      /^test\/unit\/testing\/steering\./,
      /^test\/browser\/(action|request-ends|steering|transport|transport-page)\./,
    ],
  },
]

/** The promise for whose sake tests of a file are never forgiven, if any. */
export function promiseOf(file) {
  return NEVER_FORGIVEN.find(({ files }) => files.some((pattern) => pattern.test(file)))?.promise
}

/** The failures worth a second try: tests that are known by an id, unless there are too many. */
export function failuresToRetry(failures) {
  const tests = failures.filter(({ id }) => id !== undefined)
  return failures.length > MAX_RETRIED ? [] : tests
}

/**
 * Judges failures after the second try.
 *
 * @template {{ id?: string, file?: string, message?: string }} Failure
 * @param {readonly Failure[]} failures
 * @param {ReadonlySet<string>} passedAlone ids of those that passed then
 * @param {number} [seed] of the run's random tests
 * @returns {{ forgiven: readonly Failure[], failed: readonly Failure[] }}
 */
export function judge(failures, passedAlone, seed) {
  const passing = failures.filter(({ id }) => id !== undefined && passedAlone.has(id))
  const forgivable = passing.filter(({ file }) => !promiseOf(file))
  const forgiven = forgivable.length > MAX_FORGIVEN ? [] : forgivable
  const failed = failures
    .filter((failure) => !forgiven.includes(failure))
    .map((failure) => (passing.includes(failure) ? withReason(failure, seed) : failure))
  return { forgiven, failed }
}

function withReason(failure, seed) {
  const promise = promiseOf(failure.file)
  const reason = promise
    ? `It passed when alone, which is a bug: ${promise} must hold on a busy machine, too.`
    : `It passed when alone, like more than ${MAX_FORGIVEN} tests of this run.`
  return { ...failure, message: `${reason} OFFSTAGE_SEED=${seed}\n${failure.message ?? ''}` }
}
