import { readdirSync } from 'node:fs'
import { inProject } from '../project.mjs'

/** The modules that are mutated, by what a person would lose if they were wrong. A folder stands for its files. */
export const TARGETS = {
  durability: [
    'src/conversation/fold.ts',
    'src/conversation/fold-run.ts',
    'src/conversation/fold-call.ts',
    'src/worker/run/decide.ts',
    'src/worker/run/recover-call.ts',
    'src/client/execution/execution.ts',
    'src/client/execution/executions.ts',
    'src/worker/ownership/lease.ts',
    'src/worker/store/record.ts',
    'src/worker/store/apply-append.ts',
  ],
  approval: [
    'src/worker/run/approval/',
    'src/worker/run/ask-model.ts',
    'src/worker/run/run-driver.ts',
    'src/client/api/lazy-runtime.ts',
    'src/client/execution/person-check.ts',
    'src/client/execution/user-gestures.ts',
    'src/client/features/hooks.ts',
    'src/client/api/create-agent.ts',
    'src/client/tools/describe-tools.ts',
    'src/conversation/taint.ts',
    'src/conversation/tree.ts',
  ],
  'stream reading': [
    'src/providers/core/argument-text.ts',
    'src/providers/core/assemble-tool-calls.ts',
    'src/providers/core/read-answer.ts',
    'src/providers/core/finish-reason.ts',
    'src/providers/core/http-provider.ts',
    'src/providers/core/parse-tool-input.ts',
    'src/providers/core/part-gate.ts',
    'src/providers/core/watchdog.ts',
    'src/providers/openai/map-chunk.ts',
    'src/providers/anthropic/map-event.ts',
    'src/action/scan/',
  ],
}

/** Unit tests that don't run the package. */
const OTHERS = ['attack', 'consumers', 'docs', 'release', 'soak', 'torture']

/** Folders and files of the unit tests that may reach a target. */
export const TESTS = readdirSync(inProject('test/unit'))
  .filter((name) => !OTHERS.includes(name))
  .map((name) => `test/unit/${name}`)
