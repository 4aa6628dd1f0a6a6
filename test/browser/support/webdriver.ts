import type { DrivenKey, DrivenPage, DrivenPerson } from './driven-page.ts'

const SCRIPT_MS = 30_000

/** WebDriver's own characters for keys that write none. */
const KEYS: Partial<Record<DrivenKey, string>> = {
  Enter: '\uE007',
  Shift: '\uE008',
  Alt: '\uE00A',
}

/** The one page of a new session with a browser behind a W3C WebDriver. */
export async function openSession(
  driver: string,
  capabilities: object,
  signal: AbortSignal,
): Promise<DrivenPage> {
  const wanted = { capabilities: { alwaysMatch: capabilities } }
  const { sessionId } = (await post(`${driver}/session`, wanted, signal)) as {
    readonly sessionId: string
  }
  const session = `${driver}/session/${sessionId}`
  await post(`${session}/timeouts`, { script: SCRIPT_MS })
  const evaluate = evaluateIn(session)
  return {
    async goto(url) {
      await post(`${session}/url`, { url })
      await evaluate(gatherErrors)
    },
    evaluate,
    person: personIn(session),
    errors: () =>
      evaluate(() => (window as unknown as { uncaught?: readonly string[] }).uncaught ?? []),
    async close() {
      await valueOf(await fetch(session, { method: 'DELETE' }))
    },
  }
}

/** See https://www.w3.org/TR/webdriver2/#actions. */
function personIn(session: string): DrivenPerson {
  const act = (source: object): Promise<unknown> =>
    post(`${session}/actions`, { actions: [source] })
  const key = async (type: 'keyDown' | 'keyUp', name: DrivenKey): Promise<void> => {
    await act({ type: 'key', id: 'keyboard', actions: [{ type, value: KEYS[name] ?? name }] })
  }
  return {
    async click(x, y) {
      await act({
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', duration: 0, x, y, origin: 'viewport' },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      })
    },
    keyDown: (name) => key('keyDown', name),
    keyUp: (name) => key('keyUp', name),
  }
}

function evaluateIn(session: string): DrivenPage['evaluate'] {
  return async <Result, Given>(
    inPage: (given: Given) => Result | Promise<Result>,
    given?: Given,
  ): Promise<Result> => {
    const script = `const done = arguments[1];
      (async () => (${inPage.toString()})(arguments[0]))().then(
        (value) => done({ value: JSON.stringify(value) }),
        (error) => done({ error: String(error) + '\\n' + (error && error.stack) }),
      )`
    const answer = (await post(`${session}/execute/async`, {
      script,
      args: [given ?? null],
    })) as { readonly value?: string | null; readonly error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    // What is undefined there comes as null.
    return (answer.value ? JSON.parse(answer.value) : undefined) as Result
  }
}

/** WebDriver has no event for them: they are asked for. Those of the loading itself are missed. */
function gatherErrors(): void {
  const uncaught: string[] = []
  addEventListener('error', ({ message }) => uncaught.push(message))
  addEventListener('unhandledrejection', ({ reason }) => uncaught.push(String(reason)))
  Object.assign(window, { uncaught })
}

async function post(url: string, body: object, signal?: AbortSignal): Promise<unknown> {
  const request = { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) }
  return valueOf(await fetch(url, request))
}

async function valueOf(response: Response): Promise<unknown> {
  const { value } = (await response.json()) as { readonly value: unknown }
  if (!response.ok) throw new Error(`${response.url}: ${JSON.stringify(value)}`)
  return value
}
