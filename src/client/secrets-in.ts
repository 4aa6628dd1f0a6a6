import { stepOf } from '../protocol/json-leaves.ts'
import type { CallContext } from '../protocol/questions.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** Asks a tool which values of an input are secret; null: it can't say. Doesn't reject. */
export async function secretsIn(
  entry: PreparedTool | undefined,
  { runId, conversationId, toolCallId, toolName, input }: CallContext,
  warn: (message: string) => void,
): Promise<readonly string[] | null> {
  // The tool that said that there may be secrets is gone.
  if (!entry?.tool.secretsIn) return null
  try {
    const info = { runId, conversationId, toolCallId }
    const pointers: unknown = await entry.tool.secretsIn(entry.restore(input), info)
    if (!Array.isArray(pointers) || !pointers.every(isPointer))
      throw new TypeError('secretsIn() must return JSON pointers.')
    return pointers.map((pointer) => cleanPointer(entry, input, pointer))
  } catch {
    // Not what was thrown, which may hold the secret.
    warn(`secretsIn of ${toolName} failed: its whole input is sealed, and a person is asked.`)
    return null
  }
}

function isPointer(value: unknown): value is string {
  return typeof value === 'string' && (value === '' || value.startsWith('/'))
}

/** The tool goes by its own parameter names, which the model may have under others. */
function cleanPointer(
  { restore }: PreparedTool,
  input: CallContext['input'],
  pointer: string,
): string {
  const [, first = '', ...rest] = pointer.split('/')
  const names = typeof input === 'object' && input !== null ? Object.keys(input) : []
  const clean = names.find((name) => {
    const [own = name] = Object.keys(restore({ [name]: null }) as object)
    return stepOf(own) === first
  })
  return clean === undefined ? pointer : ['', stepOf(clean), ...rest].join('/')
}
