import { setTimeout as sleep } from 'node:timers/promises'
import { Patience } from '../torture/patience.ts'
import { seeded, type Random } from '../torture/random.ts'
import { Device, type DeviceState, type Log } from './device.ts'
import { judge, judgeHistory, type Violation } from './judge.ts'
import type { Step, TrialPlan } from './plan.ts'
import type { Stage } from './stage.ts'
import { startUnreliableLink, type UnreliableLink } from './unreliable-link.ts'

const HOUR_MS = 3_600_000
const POLL_MS = 100
const LONGEST_CUT_MS = 600
/** A person takes a run over when so many looks have shown the same. On a busy machine, each look takes longer. */
const LOOKS_WHEN_LEFT = 30
/** The owner of a run may wait for so many looks until it tries the store again. */
const LOOKS_WHEN_OWNED = 400
const MOST_TURNS = 4

export interface TrialOptions {
  readonly stage: Stage
  /** The tenant of this trial alone. */
  readonly tenant: string
  /** Resolves when nothing more is done to the servers. */
  readonly calm: Promise<unknown>
}

export interface Outcome {
  readonly violations: readonly Violation[]
  /** Calls that ran. */
  readonly calls: number
  /** Requests that arrived after everything else was over. */
  readonly late: number
  /** Runs that a person had to take over at the end. */
  readonly takenOver: number
}

/** Plays a trial, and judges what it leaves. */
export async function playTrial(plan: TrialPlan, options: TrialOptions): Promise<Outcome> {
  const trial = await new Trial(plan, options).open()
  try {
    return await trial.play()
  } catch (error) {
    return { ...NOTHING, violations: [{ what: 'trial broke', detail: String(error) }] }
  } finally {
    await trial.close()
  }
}

const NOTHING = { calls: 0, late: 0, takenOver: 0 }

/** A device and its own way to the servers. After a crash, the next device uses the same way. */
interface Post {
  readonly link: UnreliableLink
  readonly clockMs: number
  device: Device
}

class Trial {
  readonly #plan: TrialPlan
  readonly #options: TrialOptions
  readonly #random: Random
  readonly #posts: Post[] = []
  readonly #log: Log = { effects: [], completed: [], errors: [] }
  readonly #violations: Violation[] = []
  #devices = 0
  #texts = 0
  #takenOver = 0

  constructor(plan: TrialPlan, options: TrialOptions) {
    this.#plan = plan
    this.#options = options
    this.#random = seeded(plan.seed)
  }

  async open(): Promise<this> {
    const { servers } = this.#options.stage
    for (const [at, hours] of this.#plan.clocks.entries()) {
      const link = await startUnreliableLink(servers, seeded(this.#plan.seed + at + 1))
      const clockMs = hours * HOUR_MS
      this.#posts.push({ link, clockMs, device: this.#device({ link, clockMs }) })
    }
    return this
  }

  async play(): Promise<Outcome> {
    const { stage, tenant, calm } = this.#options
    for (const step of this.#plan.steps) {
      await this.#act(step)
      await sleep(step.afterMs)
    }
    await calm
    for (const { link } of this.#posts) link.calm()
    await this.#settle()
    await this.#turn('Long')
    const settled = await stage.rows(tenant)
    const late = await this.#deliverLate()
    await this.#turn('Next')
    await this.#compare()
    const rows = await stage.rows(tenant)
    const { effects, completed, errors } = this.#log
    this.#violations.push(
      ...judgeHistory(settled, rows),
      ...judge({
        rows,
        effects,
        completed,
        acknowledged: this.#posts.flatMap(({ link }) => link.acknowledged),
      }),
      ...errors.map((detail) => ({ what: 'uncaught error', detail })),
    )
    return {
      violations: this.#violations,
      calls: effects.length,
      late,
      takenOver: this.#takenOver,
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#posts.map(async ({ device, link }) => {
        await device.close()
        await link.close()
      }),
    )
  }

  #device({ link, clockMs }: Pick<Post, 'link' | 'clockMs'>): Device {
    this.#devices += 1
    const { stage, tenant } = this.#options
    const url = link.url + stage.path
    const name = `device ${this.#devices}`
    const seed = this.#random.below(2 ** 20)
    return new Device({ url, tenant, name, seed, clockMs }, this.#log)
  }

  /** Not awaited: what comes next must be able to hit it. */
  async #act({ device: at, act }: Step): Promise<void> {
    const post = this.#posts[at]!
    const { device, link } = post
    const text = (words: string): string => `${words} ${(this.#texts += 1)}`
    switch (act) {
      case 'run':
        return void device.ask('run', text('Go'))
      case 'transfer':
        return void device.ask('run', text('Transfer'))
      case 'replace':
      case 'queue':
        return void device.ask(act, text('Go'))
      case 'steer':
        return void device.ask('steer', text('Also'))
      case 'take over':
        return void device.ask('takeOver')
      case 'rename':
        return void device.ask('rename', text('Title'))
      case 'resume':
      case 'abort':
      case 'answer':
      case 'reload':
        return void device.ask(act)
      case 'cut':
        return link.cut(this.#random.below(LONGEST_CUT_MS))
      case 'crash':
        await device.crash()
        post.device = this.#device(post)
        return
      default:
        act satisfies never
    }
  }

  /** Until no device has a run. What waits for a person is answered; what nobody works on is taken over. */
  async #settle(isOver = (): boolean => true): Promise<void> {
    const patience = new Patience()
    let looks = 0
    let last = ''
    for (;;) {
      const states = await this.#states()
      if (states.every(isIdle) && isOver()) return
      const asks = states.findIndex(({ pending }) => pending > 0)
      if (asks >= 0) await this.#posts[asks]!.device.ask('answer')
      const now = JSON.stringify([states, this.#log.effects.length])
      looks = now === last ? looks + 1 : 0
      last = now
      if (patience.isOver(now)) {
        this.#violations.push({ what: 'does not settle', detail: now })
        return
      }
      const isOwned = states.some(({ ownership }) => OWNED.has(ownership))
      if (looks > (isOwned ? LOOKS_WHEN_OWNED : LOOKS_WHEN_LEFT) && !states.every(isIdle)) {
        looks = 0
        // Nobody would take over a run that a tab is said to work on.
        if (isOwned) this.#violations.push({ what: 'nobody works on it', detail: now })
        this.#takenOver += 1
        await this.#posts[0]!.device.ask('takeOver')
      }
      await sleep(POLL_MS)
    }
  }

  async #deliverLate(): Promise<number> {
    let count = 0
    for (const { link } of this.#posts) count += await link.deliverLate()
    return count
  }

  /** Where a late request has begun a run that nobody works on, a person takes that over first. */
  async #turn(text: string): Promise<void> {
    const { device } = this.#posts[this.#random.below(this.#posts.length)]!
    const outcomes: string[] = []
    while (outcomes.length < MOST_TURNS) {
      let outcome: unknown = null
      void device.ask('next', `${text} ${outcomes.length}`).then((ended) => (outcome = ended))
      await this.#settle(() => outcome !== null)
      if (outcome === 'completed') return
      outcomes.push(`${String(outcome)} ${JSON.stringify(await this.#states())}`)
    }
    this.#violations.push({ what: 'next turn fails', detail: outcomes.join() })
  }

  /** Every device shows the same. */
  async #compare(): Promise<void> {
    const patience = new Patience()
    for (;;) {
      const views = await Promise.all(this.#posts.map(({ device }) => device.ask('shown')))
      const texts = views.map((view) => JSON.stringify(view))
      if (new Set(texts).size === 1) return
      if (patience.isOver(texts)) {
        this.#violations.push({ what: 'views differ', detail: texts.join(' | ').slice(0, 2000) })
        return
      }
      await sleep(POLL_MS)
    }
  }

  #states(): Promise<DeviceState[]> {
    return Promise.all(this.#posts.map(({ device }) => device.state()))
  }
}

const OWNED: ReadonlySet<DeviceState['ownership']> = new Set(['this-tab', 'other-tab'])

function isIdle({ open, status }: DeviceState): boolean {
  return open === 0 && status === 'idle'
}
