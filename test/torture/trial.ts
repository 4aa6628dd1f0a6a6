import type { Browser, Page } from '@playwright/test'
import type { StoredConversation } from '../../src/protocol/conversation.ts'
import type { Row } from '../../src/protocol/fact.ts'
import type { Site } from '../browser/support/site.ts'
import { startEffects, type EffectServer } from './effects.ts'
import { judge, judgeEffects, type Violation } from './judge.ts'
import type { Step, TrialPlan } from './plan.ts'
import { onPage, Stage, type AgentSpec, type PageState } from './stage.ts'

/** After so long without any event or effect, nothing is expected any more. Milliseconds. */
const QUIET_MS = 10_000
/** How long a trial may go on at all, on the slowest machine. Milliseconds. */
const LIMIT_MS = 120_000
/** A page that answers nothing at all must not stop the trials after it. Milliseconds. */
const BREAK_MS = 2 * LIMIT_MS
const POLL_MS = 30

/** Does one trial: begins the runs, disturbs them, waits until all is quiet, and checks what is left. */
export async function runTrial(
  plan: TrialPlan,
  { site, browser }: { readonly site: Site; readonly browser: Browser },
): Promise<Violation[]> {
  const server = await startEffects()
  const stage = new Stage(site, browser)
  const trial = new Trial(plan, stage, server)
  try {
    await stage.begin({ onDisk: plan.steps.some(({ blow }) => blow === 'browser') })
    return await Promise.race([trial.play(), tooLong()])
  } catch (thrown) {
    return [{ what: 'trial broke', detail: String(thrown) }]
  } finally {
    await stage.end()
    await server.close()
  }
}

class Trial {
  readonly #plan: TrialPlan
  readonly #stage: Stage
  readonly #server: EffectServer
  readonly #specs: readonly AgentSpec[]
  readonly #slots: readonly number[]
  readonly #violations: Violation[] = []
  readonly #started = performance.now()

  constructor(plan: TrialPlan, stage: Stage, server: EffectServer) {
    this.#plan = plan
    this.#stage = stage
    this.#server = server
    this.#slots = plan.scripts.map((_, slot) => slot)
    this.#specs = plan.scripts.map((script, slot) => ({
      script,
      conversationId: `trial-${plan.seed}-${slot}`,
      effects: server.url,
    }))
  }

  async play(): Promise<Violation[]> {
    const first = await this.#open()
    for (const slot of this.#slots) await first.evaluate(START, slot)
    for (const step of this.#plan.steps) {
      await this.#answerUntil(step)
      await this.#strike(step)
    }
    await this.#settle()
    for (const tab of this.#stage.tabs) await this.#stage.close(tab)
    await this.#conclude()
    this.#violations.push(...judgeEffects(this.#server.effects))
    return this.#violations
  }

  /** A new tab with all agents, which do nothing yet. */
  async #open(): Promise<Page> {
    const page = await this.#stage.open()
    await this.#mountAll(page)
    return page
  }

  async #mountAll(page: Page): Promise<void> {
    for (const slot of this.#slots) await this.#mount(page, slot)
  }

  #mount(page: Page, slot: number): Promise<void> {
    return onPage(page, 'mount', slot, this.#specs[slot] as AgentSpec)
  }

  async #takeUp(page: Page): Promise<void> {
    for (const slot of this.#slots) await page.evaluate(RESUME, slot)
  }

  async #strike({ blow, tab, slot }: Step): Promise<void> {
    const stage = this.#stage
    const page = stage.tabs[tab % Math.max(1, stage.tabs.length)] ?? (await this.#open())
    switch (blow) {
      case 'close':
        await stage.close(page)
        return this.#takeUp(await this.#open())
      case 'reload':
        await stage.show(page)
        break
      case 'navigate':
        await stage.show(page, 'elsewhere')
        break
      case 'worker':
        return onPage(page, 'killWorkers')
      case 'renderer':
        await stage.crash(page)
        return this.#takeUp(await this.#open())
      case 'browser':
        await stage.killBrowser()
        return this.#takeUp(await this.#open())
      case 'open tab':
        return this.#takeUp(await this.#open())
      case 'resume':
        return page.evaluate(RESUME, slot)
      case 'remount':
        await onPage(page, 'dispose', slot)
        await this.#mount(page, slot)
        return page.evaluate(RESUME, slot)
      case 'double mount':
        return page.evaluate(DOUBLE_MOUNT, [slot, this.#specs[slot] as AgentSpec] as const)
      default:
        return blow satisfies never
    }
    await this.#mountAll(page)
    await this.#takeUp(page)
  }

  /** Lets time pass while people answer, each in some tab. */
  async #answerUntil({ afterMs, onEffect }: Step): Promise<void> {
    const until = performance.now() + afterMs
    const before = this.#server.effects.length
    while (performance.now() < until) {
      await this.#answer()
      await sleep(POLL_MS)
      if (onEffect && this.#server.effects.length > before) return
    }
  }

  async #answer(): Promise<void> {
    const { answers } = this.#plan
    const tabs = this.#stage.tabs
    const tab = tabs[answers.below(Math.max(1, tabs.length))]
    const verdict = answers.chance(0.85) ? 'approve' : 'deny'
    if (tab) await onPage(tab, 'answer', answers.below(this.#slots.length), verdict)
  }

  /** Waits until every handle has ended, or until nothing has happened for long. */
  async #settle(): Promise<void> {
    let last = ''
    let since = performance.now()
    for (;;) {
      for (const tab of this.#stage.tabs)
        for (const slot of this.#slots) await onPage(tab, 'answer', slot, 'approve')
      const states = await Promise.all(this.#stage.tabs.map((tab) => onPage(tab, 'state')))
      const open = states.flatMap(({ handles }) => handles.filter(({ isOpen }) => isOpen))
      const now = `${this.#server.effects.length} ${JSON.stringify(states)}`
      if (now !== last) since = performance.now()
      last = now
      if (open.length && performance.now() - since < QUIET_MS && !this.#isLate()) {
        await sleep(POLL_MS)
        continue
      }
      this.#noteErrors(states)
      for (const { slot, events } of open)
        this.#violations.push({
          what: 'handle stays open',
          detail: `of agent ${slot}, after ${events} events`,
        })
      return
    }
  }

  #noteErrors(states: readonly PageState[]): void {
    for (const { errors } of states)
      for (const detail of errors) this.#violations.push({ what: 'uncaught error', detail })
  }

  /** A fresh page takes everything up, and what it finds is held against the server's count. */
  async #conclude(): Promise<void> {
    const page = await this.#open()
    for (const [slot, { conversationId }] of this.#specs.entries()) {
      while (!(await onPage(page, 'finish', slot)))
        if (this.#isLate()) {
          this.#violations.push({ what: 'run does not end', detail: conversationId })
          break
        }
      const rows = (await onPage(page, 'rows', conversationId)) as Row[]
      const stored = (await onPage(page, 'stored', slot)) as StoredConversation | null
      const own = this.#server.effects.filter(({ n }) => n.startsWith(`${slot}.`))
      this.#violations.push(...judge(rows, stored, own))
      const outcome = await onPage(page, 'next', slot)
      if (outcome !== 'completed')
        this.#violations.push({ what: 'next turn fails', detail: outcome })
    }
    this.#noteErrors([await onPage(page, 'state')])
  }

  #isLate(): boolean {
    return performance.now() - this.#started > LIMIT_MS
  }
}

/** Not awaited: what comes next must be able to hit it. */
const START = (slot: number): void => {
  const { torture } = window as unknown as { torture: { run(slot: number, text: string): void } }
  torture.run(slot, 'Go')
}

const RESUME = (slot: number): void => {
  const { torture } = window as unknown as { torture: { resume(slot: number): void } }
  torture.resume(slot)
}

/** Mounts, unmounts and mounts again in one turn, as React's StrictMode does. */
const DOUBLE_MOUNT = ([slot, spec]: readonly [number, AgentSpec]): void => {
  const { torture } = window as unknown as {
    torture: {
      mount(slot: number, spec: AgentSpec): void
      resume(slot: number): void
      dispose(slot: number): void
    }
  }
  torture.dispose(slot)
  torture.mount(slot, spec)
  torture.resume(slot)
  torture.dispose(slot)
  torture.mount(slot, spec)
  torture.resume(slot)
}

async function tooLong(): Promise<Violation[]> {
  await sleep(BREAK_MS)
  return [{ what: 'trial broke', detail: `It was not over within ${BREAK_MS} ms.` }]
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
