import { isJson } from '../lib/is-json.ts'
import { findRepeats } from '../lib/replace-repeats.ts'
import { mapLeaves } from '../protocol/json-leaves.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ToolOutput } from '../protocol/message.ts'
import { sealedValues } from '../protocol/sealed.ts'
import type { ToolRunner } from './run-tool.ts'

/** Runs a tool whose input has secrets: they don't come back in what it returns, throws or reports. */
export function sealedRunner(runner: ToolRunner): ToolRunner {
  return async (run) => {
    const { input, whole = input } = run.call
    const secrets = sealedValues(input, whole).map(({ seal, value }) => [`${value}`, seal] as const)
    const { replace } = findRepeats(new Map(secrets))
    const progress = (value: unknown): void =>
      run.progress(isJson(value) ? withoutSecretsIn(value as JsonValue, replace) : value)
    const ending = await runner({ ...run, progress })
    const { outcome } = ending
    return 'output' in outcome
      ? { ...ending, outcome: { ...outcome, output: withoutSecrets(outcome.output, replace) } }
      : ending
  }
}

function withoutSecrets(output: ToolOutput, replace: (text: string) => string): ToolOutput {
  switch (output.type) {
    case 'text':
      return { ...output, value: replace(output.value) }
    case 'json':
      return { ...output, value: withoutSecretsIn(output.value, replace) }
    case 'content':
      return {
        ...output,
        value: output.value.map((part) =>
          part.type === 'text' ? { ...part, text: replace(part.text) } : part,
        ),
      }
    case 'error':
      return { ...output, message: replace(output.message) }
    case 'denied':
      return output.reason === undefined ? output : { ...output, reason: replace(output.reason) }
    default:
      return output satisfies never
  }
}

function withoutSecretsIn(value: JsonValue, replace: (text: string) => string): JsonValue {
  return mapLeaves(value, (leaf) => (typeof leaf === 'string' ? replace(leaf) : leaf))
}
