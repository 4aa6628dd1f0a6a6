import { startTrusted } from '../worker-link/trusted-worker.ts'

export interface SyntaxProblem {
  readonly line: number
  readonly message: string
}

const PARSED = 'offstage-parsed'
const PARSING_MS = 3000

/**
 * Has a worker parse a text without running it. Browsers report why a classic script can't be parsed, but not why a
 * module can't. `has-imports`: the text can only be parsed as a module.
 */
export async function findSyntaxError(
  text: string,
  signal: AbortSignal,
): Promise<SyntaxProblem | 'has-imports' | undefined> {
  // Added to the first line, so that line numbers are the file's own.
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
      // Handled here, so that the page's own error handlers don't see it.
      event.preventDefault()
      resolve(event)
    })
    signal.addEventListener('abort', () => resolve(undefined))
    setTimeout(resolve, PARSING_MS)
  })
}
