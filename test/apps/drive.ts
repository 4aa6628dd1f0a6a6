import type { PageToolsOptions } from '../../src/page-tools/index.ts'
import type { DrivenPage } from '../browser/support/driven-page.ts'

/** A page's tools, called as an agent calls them. */
export interface Drive {
  /** The result as the model reads it, or `code: message` of the error. */
  call(tool: string, input?: object): Promise<string>
  /** All that the tools have said so far. */
  readonly said: string
}

/** Plain data only: it crosses to the page. */
export type DriveOptions = Pick<
  PageToolsOptions,
  'deny' | 'allow' | 'mask' | 'maxTokens' | 'showActions'
> & {
  readonly dialogs?: 'accept' | 'dismiss'
  /** A selector. */
  readonly root?: string
  /** Names of the files that the page lends. */
  readonly files?: readonly string[]
}

interface Lent {
  name: string
  execute(input: object, context: object): Promise<string>
}

/** Lends the page's tools from the built package. */
export async function drive(
  page: Pick<DrivenPage, 'evaluate'>,
  options: DriveOptions = {},
): Promise<Drive> {
  await page.evaluate(async (settings) => {
    const entry = (await import('/dist/page-tools.js' as string)) as {
      pageTools: (options: object) => Lent[]
    }
    const { root, files: names, ...rest } = settings
    const files = (name: string) => (names?.includes(name) ? new File([name], name) : null)
    const tools = entry.pageTools({
      ...rest,
      ...(names && { files }),
      ...(root && { root: () => document.querySelector(root) }),
    })
    Object.assign(window, {
      pageToolsEntry: entry,
      callTool: async (name: string, input: object) => {
        const tool = tools.find((one) => one.name === name)
        if (!tool) return `no such tool: ${name}`
        const { signal } = new AbortController()
        try {
          return await tool.execute(input, { signal, idempotencyKey: 'test' })
        } catch (error) {
          const { code, message, stack } = error as Error & { code?: string }
          return code ? `${code}: ${message}` : `uncaught: ${stack}`
        }
      },
    })
  }, options)
  let said = ''
  return {
    async call(tool, input = {}) {
      const text = await page.evaluate(
        ([name, values]) =>
          (
            window as unknown as { callTool: (name: string, input: object) => Promise<string> }
          ).callTool(name, values),
        [tool, input] as const,
      )
      said += `${text}\n`
      return text
    },
    get said() {
      return said
    },
  }
}
