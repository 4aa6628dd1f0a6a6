import { readFile, readlink, rm, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../../scripts/lib/browser.mjs'
import { run } from '../../scripts/lib/run.mjs'
import type { Site } from '../browser/support/site.ts'

/** Installed in each page by `page.js`. Every method may fail, because its page can die. */
export interface Torture {
  mount(slot: number, spec: AgentSpec): void
  run(slot: number, text: string): unknown
  resume(slot: number): Promise<unknown>
  dispose(slot: number): void
  killWorkers(): void
  pending(slot: number): Promise<string[]>
  answer(slot: number, verdict: 'approve' | 'deny'): Promise<void>
  finish(slot: number): Promise<boolean>
  next(slot: number): Promise<string>
  stored(slot: number): Promise<unknown>
  state(): PageState
  rows(conversationId: string): Promise<unknown[]>
}

export interface AgentSpec {
  readonly conversationId: string
  readonly script: object
  /** Address of the server that counts. */
  readonly effects: string
}

export interface PageState {
  readonly errors: readonly string[]
  readonly handles: readonly {
    readonly slot: number
    readonly isOpen: boolean
    readonly events: number
  }[]
}

/** The browser of a trial and its tabs, with what takes them away. */
export class Stage {
  readonly #site: Site
  readonly #browser: Browser
  /** Where the browser itself is killed: its profile, which outlives it. */
  #profile: string | null = null
  #context: BrowserContext | null = null
  #tabs: Page[] = []

  readonly #file: 'torture' | 'cells'

  constructor(site: Site, browser: Browser, file: 'torture' | 'cells' = 'torture') {
    this.#site = site
    this.#browser = browser
    this.#file = file
  }

  get tabs(): readonly Page[] {
    return this.#tabs
  }

  async begin({ onDisk }: { readonly onDisk: boolean }): Promise<void> {
    if (onDisk) this.#profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-torture-'))
    this.#context = await this.#newContext()
  }

  async open(): Promise<Page> {
    const page = await this.#context!.newPage()
    this.#tabs.push(page)
    await this.show(page)
    return page
  }

  /** Loads the trial's page; at another address than before with a `name`. */
  async show(page: Page, name = 'a'): Promise<void> {
    await page.goto(`${this.#site.url}/${this.#file}.html?${name}`)
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  }

  async close(page: Page): Promise<void> {
    this.#tabs = this.#tabs.filter((tab) => tab !== page)
    await page.close()
  }

  /** Crashes the renderer, then closes the tab as a user would. */
  async crash(page: Page): Promise<void> {
    const devtools = await this.#context!.newCDPSession(page)
    const crashed = new Promise((resolve) => page.once('crash', resolve))
    // The command never resolves, since the page crashes.
    void devtools.send('Page.crash').catch(() => undefined)
    await crashed
    await this.close(page)
  }

  /** The page is frozen as a browser does with pages in the background, and thaws again. */
  async freeze(page: Page, forMs: number): Promise<void> {
    const devtools = await this.#context!.newCDPSession(page)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    await new Promise((resolve) => setTimeout(resolve, forMs))
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    await devtools.detach()
  }

  /** The whole browser dies by a signal, and is started again with the same profile. */
  async killBrowser(): Promise<void> {
    const profile = this.#profile
    if (!profile) throw new Error('Only a browser with a profile on disk is killed.')
    const gone = new Promise((resolve) => this.#context!.once('close', resolve))
    process.kill(await browserPid(profile), 'SIGKILL')
    await gone
    this.#tabs = []
    await rm(path.join(profile, 'SingletonLock'), { force: true })
    this.#context = await this.#newContext()
  }

  async end(): Promise<void> {
    this.#tabs = []
    await this.#context?.close()
    if (this.#profile) await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }

  async #newContext(): Promise<BrowserContext> {
    if (!this.#profile) return this.#browser.newContext()
    const executablePath = await findChromium()
    return chromium.launchPersistentContext(this.#profile, {
      args: CHROMIUM_ARGS,
      ...(executablePath && { executablePath }),
    })
  }
}

/** The process that holds the profile. It is looked at twice: nobody else's may be killed. */
async function browserPid(profile: string): Promise<number> {
  const pid = Number((await readlink(path.join(profile, 'SingletonLock'))).split('-').at(-1))
  const command = await commandOf(pid)
  if (!command.includes(profile))
    throw new Error(`Process ${pid} is not of the profile ${profile}.`)
  return pid
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8')
  const { output } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { quiet: true })
  return output
}

/** Runs a method of the page's side. Rejects when the page goes meanwhile. */
export function onPage<Method extends keyof Torture>(
  page: Page,
  method: Method,
  ...values: Parameters<Torture[Method]>
): Promise<Awaited<ReturnType<Torture[Method]>>> {
  return page.evaluate(
    async ([name, given]) => {
      const { torture } = window as unknown as {
        torture: Record<string, (...values: unknown[]) => unknown>
      }
      const answer = await torture[name as string]?.(...(given as unknown[]))
      // A run can't be cloned.
      return typeof answer === 'object' && answer && 'runId' in answer ? null : answer
    },
    [method, values] as const,
  ) as Promise<Awaited<ReturnType<Torture[Method]>>>
}
