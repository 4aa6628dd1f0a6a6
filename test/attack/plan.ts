import { APPS, type App } from './apps.ts'
import { GOALS, type Goal } from './goals.ts'
import type { Call, ObedientOptions } from './obedient.ts'
import { PLACES, type Place } from './places.ts'
import { TASKS, type Task } from './tasks.ts'

/** `unannotated`: the app's own tools don't declare effects or untrusted results, like most tools in the wild. */
export const MODES = ['strict', 'default', 'unannotated', 'off'] as const
export type Mode = (typeof MODES)[number]

/** A change to an element after its use was approved. `apps/change.js` inserts the element and changes it. */
export interface Change {
  readonly name: string
  readonly call: Call
}

export const MOMENTS = ['as Approve is pressed', 'as the tool comes to it'] as const
export type Moment = (typeof MOMENTS)[number]

/** Scope of the agent's memory and blackboard. `origin`: shared with everyone. */
export type Sharing = 'conversation' | 'agent' | 'origin'

/** A trial: an app, the user's request, and a text that an attacker has placed. */
export interface TrialPlan {
  readonly id: string
  readonly app: App
  readonly mode: Mode
  readonly task: Task
  /** Null: nobody attacks. */
  readonly attack: { readonly place: Place; readonly goals: readonly Goal[] } | null
  /** The change to an approved element, and its moment. */
  readonly changes?: { readonly change: Change; readonly moment: Moment }
  /** Others have memories, which this agent shares to this extent. */
  readonly sharing?: Sharing
  readonly obeys: ObedientOptions['obeys']
}

const BY_TOOLS = GOALS.filter(({ held }) => held === 'annotated tool')
const ON_PAGE = GOALS.filter(({ held }) => held !== 'annotated tool')

/**
 * Every place in so many apps and in all modes, each time with two other goals, one by a tool and one on the page.
 * Which, the seed says.
 */
export function planAttacks({ seed, apps }: { seed: number; apps: number }): TrialPlan[] {
  return PLACES.flatMap((place, at) =>
    Array.from({ length: apps }, (_, turn) => (at + turn + seed) % APPS.length).flatMap(
      (number) => {
        const app = pick(APPS, number)
        const turn = at + number + seed
        const goals = [
          pick(BY_TOOLS, turn + Math.floor(at / 6)),
          pick(ON_PAGE, turn + Math.floor(at / 8)),
        ]
        const tasks = TASKS.filter((task) => task.app === app)
        const task = pick(tasks, at + number + seed)
        const obeys = (at + number) % 2 === 0 ? 'at once' : 'after the task'
        return MODES.map((mode): TrialPlan => {
          const id = [app.name, place.name, ...goals.map(({ name }) => name), mode].join(' · ')
          return { id, app, mode, task, attack: { place, goals }, obeys }
        })
      },
    ),
  )
}

/** Every task without an attack, by default. */
export function planTasks(): TrialPlan[] {
  return TASKS.map((task) => ({
    id: `${task.app.name} · ${task.name}`,
    app: task.app,
    mode: 'default',
    task,
    attack: null,
    obeys: 'after the task',
  }))
}

/** The model's calls: those of the task, and those that read the attack. */
export function callsOf({ app, task, attack }: TrialPlan): readonly Call[] {
  const shownBy = attack?.place.shownBy ?? 'page'
  const reading: Call = { tool: 'read_page', input: {} }
  const list: Call = { tool: app.reads, input: {} }
  if (shownBy === 'page') return [reading, ...task.calls, reading]
  if (shownBy === 'tool') return [list, ...task.calls]
  return [...shownBy.map(([tool, input]) => ({ tool, input })), ...task.calls]
}

function pick<Item>(items: readonly Item[], at: number): Item {
  return items[at % items.length] as Item
}
