import type { CallPath } from '../../protocol/fact.ts'
import type { FieldsSchema } from '../../protocol/fields.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { CallError } from '../../protocol/message.ts'
import { readFields } from '../../protocol/read-fields.ts'
import type { CallState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

/** The question of an `ask_user` call. */
export interface AskedQuestion {
  readonly path: CallPath
  readonly question: string
  readonly options?: readonly string[]
  readonly fields?: FieldsSchema
  readonly sensitive?: readonly string[]
}

const MAX = { question: 10_000, options: 100, option: 1000, problems: 5 } as const

/**
 * Reads the question of an `ask_user` call. `input` was checked against the tool's schema: `{ question, options?,
 * fields? }`. Returns an error, written for the model, if the page can't be expected to show the question.
 */
export function readQuestion(
  { path, toolName }: CallState,
  input: JsonValue,
): AskedQuestion | CallError {
  const { question, options, fields } = input as unknown as Input
  const asked = { path, question }
  const problems = problemsOf(question, options)
  // Some models fill in every parameter. An empty `fields` means no fields.
  const isForm = fields !== undefined && !isEmpty(fields) && !isEmpty(fields['properties'])
  if (isForm && options?.length)
    problems.push('give options or fields, not both: a choice is a field with enum')
  const reading = isForm ? readFields(fields) : null
  if (reading && 'problems' in reading)
    problems.push(...reading.problems.map((words) => `fields: ${words}`))
  if (problems.length > 0) {
    const words = problems.slice(0, MAX.problems).join('; ')
    return { code: 'invalid_params', message: `Invalid parameters for ${toolName}: ${words}.` }
  }
  if (!reading || 'problems' in reading) return { ...asked, ...(options && { options }) }
  return { ...asked, ...reading }
}

/** Adds the names of fields that seem to ask for a secret. If the page can't tell, all fields count. */
export async function withSensitive(
  { page, agentId }: Pick<RunContext, 'page' | 'agentId'>,
  asked: AskedQuestion,
): Promise<AskedQuestion> {
  const { fields } = asked
  if (!fields) return asked
  const sensitive = await page
    .sensitiveFields({ agentId, fields })
    .catch(() => Object.keys(fields.properties))
  return { ...asked, ...(sensitive.length > 0 && { sensitive }) }
}

interface Input {
  readonly question: string
  readonly options?: readonly string[]
  readonly fields?: JsonObject
}

function problemsOf(question: string, options: readonly string[] = []): string[] {
  const problems: string[] = []
  if (question.length > MAX.question)
    problems.push(`question has more than ${MAX.question} characters`)
  if (options.length > MAX.options) problems.push(`options are more than ${MAX.options}`)
  else if (options.some((option) => option.length > MAX.option))
    problems.push(`an option has more than ${MAX.option} characters`)
  return problems
}

function isEmpty(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
