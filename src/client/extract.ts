import type { AgentScope } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { checkNames } from './check-names.ts'
import { checkPatterns } from './check-patterns.ts'
import type { InferJson } from './infer-schema.ts'
import type { RunInput } from './options.ts'
import type { AskWorker } from './ask-worker.ts'
import {
  describeIssues,
  isStandardSchema,
  jsonSchemaOf,
  type StandardSchema,
} from './standard-schema.ts'

export interface ExtractOptions<Schema> {
  /** A JSON Schema of any type, or a Standard Schema, whose output (defaults, transforms) is returned. */
  readonly schema: Schema
  readonly input: RunInput
  /** How often an answer that doesn't fit is sent back to the model. Default 2. */
  readonly retries?: number
}

export type Extracted<Schema> =
  Schema extends StandardSchema<infer Output> ? Output : InferJson<Schema>

/** See `Agent.extract`. */
export async function extract(
  core: { readonly scope: () => AgentScope; readonly ask: AskWorker },
  options: ExtractOptions<JsonSchema | StandardSchema>,
): Promise<unknown> {
  checkNames(options, 'extract')
  const { schema, input, retries = 2 } = options
  const json = jsonSchemaOf(schema, 'given to extract()')
  checkPatterns(json, 'given to extract()')
  const command = {
    ...core.scope(),
    schema: json,
    input: typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input,
    retries,
  }
  let corrections: readonly { readonly output: string; readonly problem: string }[] = []
  for (;;) {
    const read = await core.ask('extract', { ...command, corrections })
    if (!isStandardSchema(schema)) return read.value
    // The schema's own checks (refinements) have no JSON form: only the page can make them.
    const checked = await schema['~standard'].validate(read.value)
    if (!checked.issues) return checked.value
    const problem = describeIssues(checked.issues)
    if (read.corrections.length >= retries) {
      throw new OffstageError('invalid-output', `The model's output does not fit: ${problem}`)
    }
    corrections = [...read.corrections, { output: read.text, problem }]
  }
}
