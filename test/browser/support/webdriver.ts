import type { DrivenKey, DrivenPage, DrivenPerson } from './driven-page.ts'

const SCRIPT_MS = 30_000

/** Sends a command of the protocol to one tab. */
type Command = (name: string, body: object) => Promise<unknown>

/** WebDriver's own characters for keys that write none. */
const KEYS: Partial<Record<DrivenKey, string>> = {
  Enter: '\uE007',
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
  const first = String(await valueOf(await fetch(`${session}/window`)))
  return { ...tabOf(session, first), close: () => remove(session) }
}

/** WebDriver's commands are for one tab at a time, which each command here turns to first. */
function tabOf(session: string, handle: string): DrivenPage {
  const command: Command = async (name, body) => {
    await post(`${session}/window`, { handle })
    return post(`${session}/${name}`, body)
  }
  const evaluate = evaluateBy(command)
  return {
    async goto(url) {
      await command('url', { url })
      await evaluate(gatherErrors)
    },
    evaluate,
    acceptDialogs: () => undefined,
    async openTab() {
      // WebKitGTK lets nobody press in a tab behind another.
      const opened = (await command('window/new', { type: 'window' })) as {
        readonly handle: string
      }
      return tabOf(session, opened.handle)
    },
    person: personBy(command),
    errors: () =>
      evaluate(() => (window as unknown as { uncaught?: readonly string[] }).uncaught ?? []),
    async close() {
      await post(`${session}/window`, { handle })
      await remove(`${session}/window`)
    },
  }
}

/** See https://www.w3.org/TR/webdriver2/#actions. */
function personBy(command: Command): DrivenPerson {
  const act = (source: object): Promise<unknown> => command('actions', { actions: [source] })
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
    async accessKey(name) {
      await key('keyDown', 'Alt')
      await key('keyDown', name)
      await key('keyUp', name)
      await key('keyUp', 'Alt')
    },
  }
}

function evaluateBy(command: Command): DrivenPage['evaluate'] {
  return async <Result, Given>(
    inPage: (given: Given) => Result | Promise<Result>,
    given?: Given,
  ): Promise<Result> => {
    const script = `const done = arguments[1];
      (async () => (${inPage.toString()})(arguments[0]))().then(
        (value) => done({ value: JSON.stringify(value) }),
        (error) => done({ error: String(error) + '\\n' + (error && error.stack) }),
      )`
    const answer = (await command('execute/async', {
      script,
      args: [given ?? null],
    })) as { readonly value?: string | null; readonly error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    // WebDriver returns undefined as null.
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

async function remove(url: string): Promise<void> {
  await valueOf(await fetch(url, { method: 'DELETE' }))
}

async function valueOf(response: Response): Promise<unknown> {
  const { value } = (await response.json()) as { readonly value: unknown }
  if (!response.ok) throw new Error(`${response.url}: ${JSON.stringify(value)}`)
  return value
}
