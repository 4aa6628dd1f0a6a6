import { describeIssues } from '../client/describe-issues.ts'
import { isStandardSchema } from '../client/standard-schema.ts'
import { isRecord } from '../lib/shape.ts'
import { unsafeKey } from '../lib/unsafe-key.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { OffstageError } from '../protocol/error.ts'
import type { Tool } from '../client/tool.ts'
import { problemOf } from './validate-input.ts'

/**
 * A call's input as the tool's function gets it. Throws `invalid-input`: nobody checked it before, neither the
 * browser nor a worker.
 */
export async function checkedInput(
  { inputSchema }: Tool,
  schema: JsonSchema,
  given: unknown,
): Promise<unknown> {
  const input = plainCopy(given ?? {})
  if (!isRecord(input)) throw refused('it is no object')
  const unsafe = unsafeKey(input)
  if (unsafe !== undefined) throw refused(`'${unsafe}' is no allowed key`)
  const problem = problemOf(schema, input)
  if (problem !== null) throw refused(problem)
  if (!isStandardSchema(inputSchema)) return input
  const checked = await inputSchema['~standard'].validate(input)
  if (checked.issues) throw refused(describeIssues(checked.issues))
  return checked.value
}

/** Of a browser's, or of a caller's own that it keeps and changes. */
function plainCopy(given: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(given)) as unknown
  } catch {
    throw refused('it is no plain data')
  }
}

function refused(why: string): OffstageError {
  return new OffstageError('invalid-input', `The input can't be used: ${why}.`)
}
