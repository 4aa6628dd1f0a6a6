import type { DriveOptions } from '../../../apps/drive.ts'
import { startTask, type Aim, type Kit } from './kit.ts'
import type { Hands } from './hands.ts'

interface TaskParts<Goal> {
  readonly name: string
  /** The request, as a user would phrase it. */
  readonly ask: (goal: Goal) => string
  /** Builds the task's page. Runs in the page, to which it is sent as text. */
  readonly app: (kit: Kit) => Aim<Goal>
  readonly style?: string
  readonly options?: DriveOptions
  /** Sees what the tools say, and nothing else. */
  readonly solve: (hands: Hands, goal: Goal) => Promise<unknown>
}

/** A small page with something to do on it. */
export interface PageTask {
  readonly name: string
  readonly options: DriveOptions
  /** The page's HTML. */
  page(seed: number): string
  ask(goal: unknown): string
  solve(hands: Hands, goal: unknown): Promise<unknown>
}

export function task<Goal>(parts: TaskParts<Goal>): PageTask {
  const { name, app, style = '', options = {} } = parts
  return {
    name,
    options,
    page: (seed) =>
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title><style>${style}</style><body><script>(${String(startTask)})(${String(app)}, ${seed})</script></body>`,
    ask: (goal) => parts.ask(goal as Goal),
    solve: (hands, goal) => parts.solve(hands, goal as Goal),
  }
}
