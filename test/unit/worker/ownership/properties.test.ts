import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tab } from './world/tab.ts'
import { World } from './world/world.ts'
import { someOf } from '../../more.ts'

const ACTIONS = [
  'open',
  'acquire',
  'release',
  'inherit',
  'give-up',
  'ask-for',
  'consent',
  'refuse',
  'learn',
  'forget',
  'close',
  'crash',
  'freeze',
  'cache',
  'thaw',
  'machine-sleeps',
  'run-ends',
  'run-begins',
] as const

/** A world whose tabs are all gone shows nothing. */
const OFTEN = ['open', 'acquire', 'acquire', 'release', 'inherit', 'freeze', 'thaw'] as const

type Action = (typeof ACTIONS)[number]

interface Move {
  readonly action: Action
  readonly tab: number
  readonly pauseMs: number
}

/** Long enough for silence, and for heirs that missed a message. */
const SETTLING_MS = 180_000
/** An answer takes this long at the most, in a tab that was never frozen. */
const ACQUIRE_MS = 12_000
const HANDOVER_MS = 20_000

const moves = fc.array(
  fc.record<Move>({
    action: fc.constantFrom(...ACTIONS, ...OFTEN),
    tab: fc.nat({ max: 4 }),
    pauseMs: fc.oneof(fc.constant(0), fc.nat({ max: 400 }), fc.nat({ max: 15_000 })),
  }),
  { minLength: 5, maxLength: 40 },
)
const weather = fc.record({
  loss: fc.constantFrom(0, 0, 0.1, 0.5),
  repeats: fc.constantFrom(0, 0.3),
  maxDelayMs: fc.constantFrom(2, 50, 1000),
})

/** Plays the moves, and notes what was asked and isn't answered. */
class Play {
  readonly world: World
  /** By what, and how long it took those that were never frozen. */
  readonly times: { readonly what: 'acquire' | 'ask-for'; readonly ms: number }[] = []
  readonly #asked = new Map<Tab, number>()
  readonly #heirs = new Map<Tab, AbortController[]>()
  readonly #stopped = new Set<Tab>()

  constructor(world: World) {
    this.world = world
    for (const name of ['a', 'b', 'c']) world.tab(name)
  }

  /** Living tabs whose question has no answer. */
  get unanswered(): string[] {
    return this.#living.filter((tab) => this.#asked.get(tab)).map(({ name }) => name)
  }

  /** A tab was frozen, or gone without a word. */
  get hasStopped(): boolean {
    return this.#stopped.size > 0
  }

  get heirs(): Tab[] {
    return this.#living.filter((tab) => this.#heirs.get(tab)?.length)
  }

  async play(all: readonly Move[]): Promise<void> {
    for (const move of all) {
      const living = this.#living
      const tab = living[move.tab % Math.max(1, living.length)]
      if (tab) this.#do(move.action, tab)
      await this.world.run(move.pauseMs)
    }
  }

  async settle(): Promise<void> {
    Object.assign(this.world.network.weather, { loss: 0, repeats: 0, maxDelayMs: 2 })
    this.world.isRunOpen = true
    for (const tab of this.#living) {
      tab.isCapable = true
      tab.thaw()
    }
    await this.world.run(SETTLING_MS)
  }

  #do(action: Action, tab: Tab): void {
    const { world } = this
    switch (action) {
      case 'open':
        if (this.#living.length < 5) world.tab(String.fromCharCode(97 + world.tabs.length))
        return
      case 'acquire':
        return this.#ask(tab, 'acquire', () => tab.acquire())
      case 'ask-for':
        return this.#ask(tab, 'ask-for', () => tab.askFor())
      case 'release':
        if (tab.isWorking) tab.release()
        return
      case 'inherit':
        return this.#inherit(tab)
      case 'give-up':
        if (tab.isWorking) for (const stop of this.#heirs.get(tab) ?? []) stop.abort()
        return
      case 'consent':
      case 'refuse':
        tab.handsOver = action === 'consent'
        return
      case 'learn':
      case 'forget':
        tab.isCapable = action === 'learn'
        return
      case 'close':
        if (tab.isWorking) void tab.close()
        return
      case 'crash':
        this.#stopped.add(tab)
        return tab.crash()
      case 'freeze':
        return this.#freeze(tab)
      case 'cache':
        if (tab.isWorking) world.locks.suspend(tab)
        return this.#freeze(tab)
      case 'thaw':
        return tab.thaw()
      case 'machine-sleeps':
        for (const each of this.#living.filter(({ isWorking }) => isWorking)) {
          this.#freeze(each)
          world.clock.after(3_600_000, () => each.thaw())
        }
        return
      case 'run-ends':
      case 'run-begins':
        world.isRunOpen = action === 'run-begins'
        return
      default:
        return action satisfies never
    }
  }

  #ask(tab: Tab, what: 'acquire' | 'ask-for', asking: () => Promise<boolean>): void {
    if (!tab.isWorking) return
    const { clock } = this.world
    const begun = clock.now
    this.#asked.set(tab, (this.#asked.get(tab) ?? 0) + 1)
    void asking().then(() => {
      this.#asked.set(tab, (this.#asked.get(tab) ?? 0) - 1)
      if (!this.#stopped.has(tab)) this.times.push({ what, ms: clock.now - begun })
    })
  }

  #inherit(tab: Tab): void {
    if (!tab.isWorking) return
    const stop = new AbortController()
    const all = this.#heirs.get(tab) ?? []
    this.#heirs.set(tab, [...all, stop])
    void tab.inherit(stop.signal).then(() => {
      this.#heirs.set(tab, this.#heirs.get(tab)?.filter((each) => each !== stop) ?? [])
    })
  }

  #freeze(tab: Tab): void {
    this.#stopped.add(tab)
    tab.freeze()
  }

  get #living(): Tab[] {
    return this.world.tabs.filter(({ isAlive }) => isAlive)
  }
}

describe.each([
  ['Web Locks', { locks: true, epochs: true }],
  ['messages', { locks: false, epochs: true }],
  ['messages, without the epochs of the store', { locks: false, epochs: false }],
])('leases by %s, for any tab actions and lost messages', (_name, options) => {
  it('have at most one holder at rest, report losses, and never leave waiting tabs stuck', async () => {
    await fc.assert(
      fc.asyncProperty(moves, weather, fc.nat(), async (played, sky, seed) => {
        const world = new World({ ...options, seed })
        Object.assign(world.network.weather, sky)
        const play = new Play(world)
        await play.play(played)
        await play.settle()

        expect(world.holders.length).toBeLessThanOrEqual(1)
        const living = world.tabs.filter(({ isAlive }) => isAlive)
        expect(living.map(({ believes }) => believes)).toEqual(living.map(({ holds }) => holds))
        expect(play.unanswered).toEqual([])
        for (const { what, ms } of play.times) {
          expect(ms).toBeLessThanOrEqual(what === 'acquire' ? ACQUIRE_MS : HANDOVER_MS)
        }
        if (play.heirs.length > 0) expect(world.holders).toHaveLength(1)
        const isCalm = sky.loss === 0 && sky.maxDelayMs < 1000 && !play.hasStopped
        if (isCalm) expect(world.tabs.map(({ losses }) => losses)).toEqual(world.tabs.map(() => 0))
        // Nobody writes but the one that claimed last.
        const [holder] = world.holders
        if (isCalm && holder !== undefined && options.epochs) {
          expect(world.tabs.find(({ name }) => name === holder)?.epoch).toBe(world.epoch)
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? someOf(150)) },
    )
  })

  it('pass to exactly one waiting tab within 30 s when the holder ends or freezes', async () => {
    const ends = fc.constantFrom('close', 'crash', 'freeze', 'cache')
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 3 }), ends, fc.nat(), async (others, end, seed) => {
        const world = new World({ ...options, seed })
        Object.assign(world.network.weather, { repeats: 0.3, maxDelayMs: 100 })
        const [holder, ...heirs] = await world.tabsOf('a', ...['b', 'c', 'd', 'e'].slice(others))
        expect(await world.settled(holder!.acquire(), 500)).toBe(true)
        const inherited: string[] = []
        for (const heir of heirs) void heir.inherit().then(() => inherited.push(heir.name))
        await world.run(seed % 20_000)
        expect(inherited).toEqual([])

        if (end === 'close') await world.settled(holder!.close(), 100)
        else if (end === 'crash') holder!.crash()
        else holder!.freeze()
        if (end === 'cache') world.locks.suspend(holder!)
        await world.run(30_000)
        expect(inherited).toHaveLength(1)
        await world.run(60_000)
        expect(inherited).toHaveLength(1)
        holder!.thaw()
        await world.run(10_000)
        expect(world.holders).toEqual(inherited)
      }),
      { numRuns: someOf(100) },
    )
  })
})
