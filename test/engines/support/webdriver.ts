/** A browser behind a W3C WebDriver, as far as tests need it: one window, scripts that take their time. */
export interface DrivenPage {
  goto(url: string): Promise<void>
  /** Calls the function in the page with plain data; resolves to what it resolves to, as plain data. */
  evaluate<Result>(inPage: (given: object) => Promise<Result>, given: object): Promise<Result>
  close(): Promise<void>
}

const SCRIPT_MS = 30_000

export async function openDrivenPage(driver: string, capabilities: object): Promise<DrivenPage> {
  const { sessionId } = (await command(driver, 'POST', '/session', {
    capabilities: { alwaysMatch: capabilities },
  })) as { readonly sessionId: string }
  const session = `/session/${sessionId}`
  await command(driver, 'POST', `${session}/timeouts`, { script: SCRIPT_MS })
  return {
    async goto(url) {
      await command(driver, 'POST', `${session}/url`, { url })
    },
    async evaluate<Result>(inPage: (given: object) => Promise<Result>, given: object) {
      const script = `const done = arguments[1];
        (${inPage.toString()})(arguments[0]).then(
          (value) => done({ value: JSON.stringify(value ?? null) }),
          (error) => done({ error: String(error) + '\\n' + (error && error.stack) }),
        )`
      const answer = (await command(driver, 'POST', `${session}/execute/async`, {
        script,
        args: [given],
      })) as { readonly value: string; readonly error?: string }
      if (answer.error !== undefined) throw new Error(answer.error)
      return JSON.parse(answer.value) as Result
    },
    async close() {
      await command(driver, 'DELETE', session)
    },
  }
}

async function command(
  driver: string,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(driver + path, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { readonly value: unknown }
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
  return value
}
