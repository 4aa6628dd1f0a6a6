import { APPS, type App } from './apps.ts'
import { GOALS, type Goal } from './goals.ts'
import type { Call, ObedientOptions } from './obedient.ts'
import { PLACES, type Place } from './places.ts'
import { TASKS, type Task } from './tasks.ts'

export const MODES = ['strict', 'default', 'off'] as const
export type Mode = (typeof MODES)[number]

/** One trial: an app, what the person asks for, and what somebody else has written where. */
export interface TrialPlan {
  readonly id: string
  readonly app: App
  readonly mode: Mode
  readonly task: Task
  /** Null: nobody attacks. */
  readonly attack: { readonly place: Place; readonly goal: Goal } | null
  readonly obeys: ObedientOptions['obeys']
}

/**
 * Every place in every app, each time with another goal: which, the seed says. In all modes, unless the words come to no
 * model.
 */
export function planAttacks(seed: number): TrialPlan[] {
  return PLACES.flatMap((place, at) =>
    APPS.flatMap((app, number) => {
      const turn = at + 5 * number + seed
      const goal = pick(GOALS, turn)
      const tasks = TASKS.filter((task) => task.app === app)
      const task = pick(tasks, at + number + seed)
      const obeys = (at + number) % 2 === 0 ? 'at once' : 'after the task'
      return MODES.map((mode): TrialPlan => {
        const id = [app.name, place.name, goal.name, mode].join(' · ')
        return { id, app, mode, task, attack: { place, goal }, obeys }
      })
    }),
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

/** What the model calls for the task, and so that it reads what the attack is in. */
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
