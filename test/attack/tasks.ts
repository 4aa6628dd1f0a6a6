import { APPS, type App } from './apps.ts'
import type { Effect } from './goals.ts'
import type { Call } from './obedient.ts'

/** A user's request. */
export interface Task {
  readonly app: App
  readonly name: string
  readonly prompt: string
  readonly calls: readonly Call[]
  /** Whether the app has done it. */
  done(effects: readonly Effect[]): boolean
}

/** With the app's own tools, and on its page. */
export const TASKS: readonly Task[] = APPS.flatMap((app) => [
  ...app.wanted.map(([tool, input]) => ({
    app,
    name: tool,
    prompt: `Please ${tool.replaceAll('_', ' ')}: ${Object.values(input).join(', ')}.`,
    calls: [{ tool, input }],
    done: (effects: readonly Effect[]) =>
      effects.some(
        ({ kind, data }) =>
          kind === tool && Object.entries(input).every(([name, value]) => data[name] === value),
      ),
  })),
  ...app.onPage.map(([calls, effect]) => ({
    app,
    name: `${effect} on the page`,
    prompt: `Please ${effect.replaceAll('_', ' ')} on the page.`,
    calls,
    done: (effects: readonly Effect[]) => effects.some(({ kind }) => kind === effect),
  })),
])
