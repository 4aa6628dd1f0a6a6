import { startTrusted } from '../trusted-worker.ts'

export interface SyntaxProblem {
  readonly line: number
  readonly message: string
}

const PARSED = 'offstage-parsed'
const PARSING_MS = 3000

/**
 * Has a worker parse a text, and run nothing of it: of a module that can't be parsed the browser says
 * nothing, of a classic script it does. `has-imports`: it can only be parsed as a module.
 */
export async function findSyntaxError(
  text: string,
  signal: AbortSignal,
): Promise<SyntaxProblem | 'has-imports' | undefined> {
  // On the first line, so that the lines are the file's own.
  const url = URL.createObjectURL(new Blob([`throw'${PARSED}';`, text]))
  let worker: Worker | undefined
  try {
    worker = startTrusted(() => new Worker(url))
    const event = await firstError(worker, signal)
    if (!event?.message || event.message.includes(PARSED)) return undefined
    const isModule = /\b(import|export|await)\b/.test(event.message)
    return isModule ? 'has-imports' : { line: event.lineno, message: event.message }
  } catch {
    return undefined
  } finally {
    worker?.terminate()
    URL.revokeObjectURL(url)
  }
}

function firstError(worker: Worker, signal: AbortSignal): Promise<ErrorEvent | undefined> {
  return new Promise((resolve) => {
    worker.addEventListener('error', (event) => {
      // It is looked for here: the page's own handling of errors needn't see it.
      event.preventDefault()
      resolve(event)
    })
    signal.addEventListener('abort', () => resolve(undefined))
    setTimeout(resolve, PARSING_MS)
  })
}
