import type { Browser, Page } from '@playwright/test'
import type { Site } from '../browser/support/site.ts'
import { inCells, tellCells, type CellSpec } from './cell-stage.ts'
import { TARGET, type Batch, type Cell, type CellBlow } from './cells.ts'
import { conclude, type CellOutcome, type Played } from './conclude.ts'
import type { CellViolation } from './judge-cell.ts'
import { Patience, sleep } from './patience.ts'
import { Stage } from './stage.ts'
import { HELPER_CALL, World, type Point } from './world.ts'

/** From when the first of what is let go on purpose around a blow may be let go. Milliseconds. */
const LEAD_MS = 40
const POLL_MS = 40

/** The point at which a run is held in its state. Null if it waits for a user or isn't held. */
function holdOf(cell: Cell): Point | null {
  switch (cell.state) {
    case 'asked':
      return 'asked'
    case 'retrying':
      return 'refused'
    case 'writing':
      return 'text'
    case 'calling':
      return 'input'
    case 'hooked':
      return 'hook'
    case 'starting':
      return 'starting'
    case 'executing':
    case 'returning':
    case 'aborting':
    case 'steered':
      return 'effect'
    case 'delivered':
      return 'delivered'
    case 'answering':
    case 'ending':
      return 'answer'
    case 'beginning':
    case 'waiting for approval':
    case 'being approved':
    case 'suspended':
    case 'being settled':
    case 'asking a person':
      return null
    default:
      return cell.state satisfies never
  }
}

/** The point that shows that a run has reached its state. */
function arrivalOf(cell: Cell): Point | null {
  if (cell.state === 'beginning') return null
  return holdOf(cell) ?? 'pending'
}

/** The tool about which a person is asked in the state. */
function asksIn({ state, tool }: Cell): string | null {
  return state === 'waiting for approval' || state === 'being approved' ? tool : null
}

/** Brings all trials of a batch to their states, hits them, takes them up again, and judges what came of each. */
export async function runBatch(
  batch: Batch,
  { site, browser }: { readonly site: Site; readonly browser: Browser },
): Promise<CellOutcome[]> {
  const played = await Promise.all(
    batch.cells.map(async (cell, index): Promise<Played> => {
      const target = cell.tool === 'ask_helper' ? HELPER_CALL.n : TARGET
      const { steps, paceMs } = cell
      const world = await new World({ steps, target, holds: holdOf(cell), paceMs }).start()
      const label = `trial-${batch.number}-${index}`
      const spec: CellSpec = { label, url: world.url, target, asks: asksIn(cell) }
      return { cell, world, spec, violations: [] }
    }),
  )
  const stage = new Stage(site, browser, 'cells')
  try {
    await stage.begin({ onDisk: batch.blow === 'browser kill' })
    return await new Playing(batch, played, stage).play()
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

class Playing {
  readonly #batch: Batch
  readonly #played: readonly Played[]
  readonly #stage: Stage

  constructor(batch: Batch, played: readonly Played[], stage: Stage) {
    this.#batch = batch
    this.#played = played
    this.#stage = stage
  }

  async play(): Promise<CellOutcome[]> {
    const { blow, second, secondAfterMs } = this.#batch
    const first = await this.#open()
    const later = this.#played.filter(({ cell }) => cell.state !== 'beginning')
    for (const { spec } of later) tellCells(first, 'run', spec.label)
    await Promise.all(later.map((one) => this.#arrive(first, one)))
    for (const one of this.#played) this.#actAround(first, one)
    await sleep(LEAD_MS)
    let page = await this.#strike(blow, first)
    if (second) {
      await sleep(secondAfterMs)
      page = await this.#strike(second, page)
    }
    await this.#settle(page)
    const blows = second ? [blow, second] : [blow]
    return conclude(this.#played, { stage: this.#stage, page, blows })
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

  async #arrive(page: Page, { cell, world, spec, violations }: Played): Promise<void> {
    const point = arrivalOf(cell)
    if (!point) return
    const wait = async (at: Point): Promise<void> => {
      const patience = new Patience()
      let isThere = false
      void world.reached(at).then(() => (isThere = true))
      while (!isThere) {
        // Watches all trials: one may be late only because the others keep the machine busy.
        if (patience.isOver([await inCells(page, 'state'), this.#counted])) break
        // Pending calls that stand between a run and its state get answered.
        if (at !== 'pending') await inCells(page, 'answer', [spec.label])
        await sleep(POLL_MS)
      }
      if (isThere) return
      const detail = `${cell.state}: ${at}: ${await inCells(page, 'explain', spec.label)}`
      violations.push({ what: 'state not reached', detail })
    }
    await wait(point)
    if (cell.state !== 'steered') return
    await inCells(page, 'steer', spec.label)
    await wait('queued')
  }

  /** Acts on a trial around the time of the blow: starts, answers, aborts it or lets it go. */
  #actAround(page: Page, { cell, world, spec }: Played): void {
    const { label } = spec
    const at = (afterMs: number, act: () => void): void =>
      void setTimeout(act, Math.max(0, LEAD_MS + afterMs))
    const close = cell.letGoMs % 30
    switch (cell.state) {
      case 'beginning':
        at(close - 25, () => tellCells(page, 'run', label))
        break
      case 'being approved':
      case 'being settled':
        at(close - 15, () => tellCells(page, 'answer', [label]))
        break
      case 'aborting':
        at(close - 25, () => tellCells(page, 'abort', label))
        break
      case 'returning':
      case 'ending':
        at(close - 10, () => world.letGo())
        break
      default:
        break
    }
    at(cell.letGoMs, () => world.letGo())
  }

  /** The page that resumes everything. */
  async #strike(blow: CellBlow, page: Page): Promise<Page> {
    const stage = this.#stage
    switch (blow) {
      case 'reload':
        await stage.show(page)
        break
      case 'navigation':
        await stage.show(page, 'elsewhere')
        break
      case 'close':
        await stage.close(page)
        return this.#takeUp(await this.#open())
      case 'renderer crash':
        await stage.crash(page)
        return this.#takeUp(await this.#open())
      case 'browser kill':
        await stage.killBrowser()
        return this.#takeUp(await this.#open())
      case 'worker death':
        await inCells(page, 'killWorkers')
        return page
      case 'freeze':
        await stage.freeze(page, this.#batch.frozenMs)
        return page
      case 'dispose':
        tellCells(
          page,
          'dispose',
          this.#played.map(({ spec }) => spec.label),
        )
        break
      default:
        return blow satisfies never
    }
    await this.#mount(page)
    return this.#takeUp(page)
  }

  #takeUp(page: Page): Page {
    for (const { spec } of this.#played) tellCells(page, 'resume', spec.label)
    return page
  }

  /** Waits until every handle has ended, or until nothing has happened for long. */
  async #settle(page: Page): Promise<void> {
    const labels = this.#played.map(({ spec }) => spec.label)
    const patience = new Patience()
    for (;;) {
      await inCells(page, 'answer', labels)
      const state = await inCells(page, 'state')
      const open = state.handles.filter(({ isOpen }) => isOpen)
      if (open.length > 0 && !patience.isOver([this.#counted, state])) {
        await sleep(POLL_MS)
        continue
      }
      for (const { label } of open)
        this.#violationsOf(label).push({
          what: 'handle stays open',
          detail: await inCells(page, 'explain', label),
        })
      return
    }
  }

  /** How often each server was asked for something. */
  get #counted(): number[] {
    return this.#played.map(({ world }) => world.effects.length + world.requests.length)
  }

  #violationsOf(label: string): CellViolation[] {
    const one = this.#played.find(({ spec }) => spec.label === label)
    if (!one) throw new Error(`No trial is called ${label}.`)
    return one.violations
  }
}
