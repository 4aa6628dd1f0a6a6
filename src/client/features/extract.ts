import type { Extraction } from '../../protocol/worker-calls.ts'
import type { AgentScope } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { RunUsage } from '../../protocol/message.ts'
import { checkMessageParts } from '../runs/check-message.ts'
import { checkNames } from '../api/check-names.ts'
import type { InferJson } from '../tools/infer-schema.ts'
import type { RunInput } from '../api/options.ts'
import type { CallWorker } from '../worker-link/ask-worker.ts'
import { describeIssues } from '../execution/format-output.ts'
import { checkSchema, plainSchema } from '../tools/prepare-tool.ts'
import { isStandardSchema, jsonSchemaOf, type StandardSchema } from '../tools/standard-schema.ts'
import { reportThrown } from '../api/failures.ts'
import { randomId } from '../../lib/random-id.ts'
import { addUsage } from '../../conversation/usage.ts'
import { untilAborted } from '../runs/until-aborted.ts'

/** Request of `agent.extract`: a schema, an input and limits. The agent's model answers. */
export interface ExtractOptions<Schema> {
  /** A JSON Schema of any type, or a Standard Schema, whose output (defaults, transforms) is returned. */
  readonly schema: Schema
  /** Text or files to read the data from. Sent verbatim, without filling in `{{name}}`. */
  readonly input: RunInput
  /** How often the model may correct an answer that doesn't match the schema. Default 2. */
  readonly retries?: number
  /** Cancels the request and rejects with `aborted`. */
  readonly signal?: AbortSignal
  /** Called once at the end, on success or failure, with the usage that the model calls reported. */
  readonly onUsage?: (usage: RunUsage) => void
}

/** Infers the result of `agent.extract`: a Standard Schema's output, or the type that a JSON Schema describes. */
export type Extracted<Schema> =
  Schema extends StandardSchema<infer Output> ? Output : InferJson<Schema>

/** See `Agent.extract`. */
export async function extract(
  core: { readonly scope: () => AgentScope; readonly callWorker: CallWorker },
  options: ExtractOptions<JsonSchema | StandardSchema>,
  signal: AbortSignal,
): Promise<unknown> {
  checkNames(options, 'extract')
  const { schema, input, retries = 2, onUsage } = options
  const json = plainSchema(jsonSchemaOf(schema, 'given to extract()'), 'schema of extract()')
  checkSchema(json, 'schema of extract()')
  const command = {
    ...core.scope(),
    schema: json,
    input: checkMessageParts(input),
  }
  const corrections: { readonly output: string; readonly problem: string }[] = []
  let usage: RunUsage = { modelCalls: 0 }
  const requestData = async (): Promise<Exclude<Extraction, { readonly error: unknown }>> => {
    const extractId = randomId()
    const extraction = await untilAborted(
      () => core.callWorker('extract', { ...command, extractId, corrections }),
      signal,
      () => void core.callWorker('stopExtracting', { extractId }).catch(() => {}),
    )
    const modelCalls = usage.modelCalls + extraction.usage.modelCalls
    usage = { ...addUsage(usage, extraction.usage), modelCalls }
    if ('error' in extraction) throw OffstageError.fromData(extraction.error)
    return extraction
  }
  try {
    for (;;) {
      const { text, value, problem } = await requestData()
      const result = problem === null ? await check(schema, value) : { problem }
      if (!('problem' in result)) return result.value
      if (corrections.length >= retries)
        throw new OffstageError(
          'invalid-output',
          `The model's output does not fit: ${result.problem}`,
        )
      corrections.push({ output: text, problem: result.problem })
    }
  } finally {
    try {
      onUsage?.(usage)
    } catch (thrown) {
      reportThrown(thrown)
    }
  }
}

/** Runs a Standard Schema's own checks (refinements). They have no JSON form, so only the page can run them. */
async function check(
  schema: JsonSchema | StandardSchema,
  value: JsonValue,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  if (!isStandardSchema(schema)) return { value }
  const checked = await schema['~standard'].validate(value)
  return checked.issues ? { problem: describeIssues(checked.issues) } : { value: checked.value }
}
