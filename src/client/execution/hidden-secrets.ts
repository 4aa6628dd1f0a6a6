import { createSecretReplacer } from '../../lib/replace-repeats.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { replaceInJson, replaceInOutput } from '../../protocol/message.ts'
import { sealedValues } from '../../protocol/sealed.ts'
import type { ToolEnding, ToolRunner } from './execution.ts'
import { stringify } from './format-output.ts'

/**
 * Runs a tool whose input has secrets. Replaces the secrets with placeholders in the tool's results, errors and
 * progress.
 */
export function withHiddenSecrets(runner: ToolRunner): ToolRunner {
  return async (run) => {
    const { input, inputWithSecrets = input } = run.call
    const secrets = sealedValues(input, inputWithSecrets).map(
      ({ placeholder, value }) => [`${value}`, placeholder] as const,
    )
    const { replace } = createSecretReplacer(new Map(secrets))
    const progress = (value: unknown): void => {
      const json = toJson(value)
      if (json !== undefined) run.progress(replaceInJson(json, replace))
    }
    const ending = await runner({ ...run, progress })
    return {
      ...ending,
      outcome: withoutSecrets(ending.outcome, replace),
      hideSecrets: (output) => replaceInOutput(output, replace),
    }
  }
}

/**
 * Converts the value to JSON, since secrets can't be replaced in anything else. Undefined if the value has no JSON
 * form.
 */
function toJson(value: unknown): JsonValue | undefined {
  try {
    const text = stringify(value)
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue)
  } catch {
    return undefined
  }
}

function withoutSecrets(
  outcome: ToolEnding['outcome'],
  replace: (text: string) => string,
): ToolEnding['outcome'] {
  if ('output' in outcome) return { ...outcome, output: replaceInOutput(outcome.output, replace) }
  return 'token' in outcome ? { ...outcome, token: replace(outcome.token) } : outcome
}
