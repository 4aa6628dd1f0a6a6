import type { Browser, Page } from '@playwright/test'
import type { Site } from '../browser/support/site.ts'
import { inCells, tellCells } from './cell-stage.ts'
import { TARGET, type Cell } from './cells.ts'
import { conclude, type CellOutcome, type Played } from './conclude.ts'
import { Patience, sleep } from './patience.ts'
import { Stage } from './stage.ts'
import type { TabAct, TabsBatch, TabStep } from './tabs-plan.ts'
import { World } from './world.ts'

const POLL_MS = 40

/** Plays conversations that several tabs show, and compares what each of them shows with what the others do. */
export async function runTabs(
  batch: TabsBatch,
  { site, browser }: { readonly site: Site; readonly browser: Browser },
): Promise<CellOutcome[]> {
  const played = await Promise.all(
    batch.cells.map(async ({ steps, asks, holds }, index): Promise<Played> => {
      const world = await new World({ steps, target: TARGET, holds, paceMs: 5 }).start()
      const label = `trial-${batch.number}-${index}`
      return {
        cell: asCell(steps),
        world,
        spec: { label, url: world.url, target: TARGET, asks },
        violations: [],
      }
    }),
  )
  const stage = new Stage(site, browser, 'cells')
  try {
    await stage.begin({ onDisk: false })
    return await new Tabs(batch, played, stage).play()
  } catch (thrown) {
    return played.map(({ cell, violations }) => ({
      cell,
      violations: [...violations, { what: 'trial broke', detail: String(thrown) }],
    }))
  } finally {
    await stage.end()
    await Promise.all(played.map(({ world }) => world.stop()))
  }
}

/** A placeholder cell, so that trials without a single blow can be judged like others. */
function asCell(steps: Cell['steps']): Cell {
  return { state: 'asked', blow: 'close', tool: 'write', steps, at: 0, letGoMs: 0, paceMs: 5 }
}

class Tabs {
  readonly #batch: TabsBatch
  readonly #played: readonly Played[]
  readonly #stage: Stage

  constructor(batch: TabsBatch, played: readonly Played[], stage: Stage) {
    this.#batch = batch
    this.#played = played
    this.#stage = stage
  }

  async play(): Promise<CellOutcome[]> {
    for (let count = 0; count < this.#batch.tabs; count += 1) await this.#open()
    const own = this.#batch.cells.map(async ({ acts }, index) => {
      const one = this.#played[index]
      for (const step of acts.slice(0, -2)) if (one) await this.#act(one, step)
    })
    await Promise.all(own)
    const shared = this.#batch.cells[0]?.acts.at(-2)
    if (shared) await this.#hit(shared)
    for (const { world } of this.#played) world.letGo()
    await Promise.all(this.#played.map((one) => this.#settle(one)))
    // A tab that is gone at once may not have begun anything.
    const isSure = shared?.act === 'compare' || shared?.act === 'kill worker'
    for (const { world, violations } of this.#played)
      if (isSure && world.requests.length === 0)
        violations.push({ what: 'state not reached', detail: 'The run never began.' })
    const [page] = this.#stage.tabs
    if (!page) throw new Error('No tab is open.')
    return conclude(this.#played, { stage: this.#stage, page, blows: [] })
  }

  async #open(): Promise<Page> {
    const page = await this.#stage.open()
    await this.#mount(page)
    return page
  }

  #mount(page: Page): Promise<void> {
    return inCells(
      page,
      'mount',
      this.#played.map(({ spec }) => spec),
    )
  }

  async #act(one: Played, { act, tab, other, afterMs }: TabStep): Promise<void> {
    const { label } = one.spec
    const [page, second] = [tab, other].map((at) => this.#stage.tabs[at])
    if (!page || !second) throw new Error('A tab is missing.')
    await sleep(afterMs)
    switch (act) {
      case 'begin':
        return tellCells(page, 'run', label)
      case 'answer':
        return tellCells(page, 'answer', [label])
      case 'answer twice':
        tellCells(page, 'answer', [label])
        return tellCells(second, 'answer', [label])
      case 'steer':
        return tellCells(page, 'steer', label)
      case 'take over':
        return tellCells(page, 'takeOver', label)
      case 'compare':
        return this.#compare(one, act)
      case 'let go':
      case 'reload':
      case 'close':
      case 'crash':
      case 'kill worker':
        throw new Error(`${act} is done to all conversations of a tab.`)
      default:
        return act satisfies never
    }
  }

  /** Acts on a tab, which affects every conversation that it shows. */
  async #hit({ act, tab }: TabStep): Promise<void> {
    const page = this.#stage.tabs[tab]
    if (!page) throw new Error('A tab is missing.')
    if (act === 'close') await this.#stage.close(page)
    if (act === 'crash') await this.#stage.crash(page)
    if (act === 'kill worker') await inCells(page, 'killWorkers')
    if (act === 'compare') await Promise.all(this.#played.map((one) => this.#compare(one, act)))
    if (act === 'reload') {
      await this.#stage.show(page)
      await this.#mount(page)
    }
  }

  /** Nobody resumes anything: a tab that shows the run continues it, and all show the same in the end. */
  async #settle(one: Played): Promise<void> {
    const { label } = one.spec
    const patience = new Patience()
    for (;;) {
      for (const tab of this.#stage.tabs) await inCells(tab, 'answer', [label])
      const views = await Promise.all(this.#stage.tabs.map((tab) => inCells(tab, 'shown', label)))
      if (views.every(({ status }) => status === 'idle')) break
      if (patience.isOver(views)) {
        const detail = views.map(({ status }) => status).join()
        one.violations.push({ what: 'run does not end', detail })
        break
      }
      await sleep(POLL_MS)
    }
    await this.#compare(one, 'let go')
  }

  async #compare({ spec, violations }: Played, act: TabAct): Promise<void> {
    const patience = new Patience()
    for (;;) {
      const views = await Promise.all(
        this.#stage.tabs.map(async (tab) =>
          JSON.stringify(await inCells(tab, 'shown', spec.label)),
        ),
      )
      if (new Set(views).size === 1) return
      if (patience.isOver(views)) {
        violations.push({ what: 'views differ', detail: `at ${act}: ${views.join(' | ')}` })
        return
      }
      await sleep(POLL_MS)
    }
  }
}
