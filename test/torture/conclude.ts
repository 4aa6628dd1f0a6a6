import type { Page } from '@playwright/test'
import { inCells, type CellSpec } from './cell-stage.ts'
import type { Cell, CellBlow } from './cells.ts'
import { judgeAbort, judgeCell, type CellViolation } from './judge-cell.ts'
import { Patience, sleep } from './patience.ts'
import type { Stage } from './stage.ts'
import type { World } from './world.ts'

/** A trial while it is played. */
export interface Played {
  readonly cell: Cell
  readonly world: World
  readonly spec: CellSpec
  readonly violations: CellViolation[]
}

export interface CellOutcome {
  readonly cell: Cell
  readonly violations: readonly CellViolation[]
}

export interface ConcludeOptions {
  readonly stage: Stage
  /** The page on which the trials ended. */
  readonly page: Page
  /** Blows that hit the trials, in order. */
  readonly blows: readonly CellBlow[]
}

/**
 * Judges the final state of each trial: on the page where it ended, on a fresh page beside it, and by the
 * conversation's next turn.
 */
export async function conclude(
  played: readonly Played[],
  { stage, page, blows }: ConcludeOptions,
): Promise<CellOutcome[]> {
  await Promise.all(played.map((one) => finish(one, page)))
  const fresh = await stage.open()
  await inCells(
    fresh,
    'mount',
    played.map(({ spec }) => spec),
  )
  const rows = await inCells(fresh, 'rows')
  const judging = played.map(async ({ cell, world, spec, violations }) => {
    const children = new Set(
      rows.flatMap((row) =>
        row.type === 'child-started' && row.conversationId === spec.label
          ? row.childConversationId
          : [],
      ),
    )
    const own = rows.filter(({ conversationId }) => conversationId === spec.label)
    const stored = await inCells(fresh, 'stored', spec.label)
    const evidence = {
      cell,
      stored,
      effects: world.effects,
      complaints: world.complaints,
      isAccepted: world.requests.length > 0,
    }
    violations.push(...judgeCell({ ...evidence, rows: own }))
    violations.push(...judgeAbort(own, { abort: world.abort, blows }))
    for (const child of children) {
      const ofChild = rows.filter(({ conversationId }) => conversationId === child)
      const judged = judgeCell({
        ...evidence,
        rows: ofChild,
        stored: null,
        complaints: [],
        isAccepted: false,
      })
      // The child of a call that was cut short is ended with it.
      violations.push(
        ...judged.filter(({ what }) => what !== 'run failed' && what !== 'message lost'),
      )
    }
    violations.push(...(await compareViews(spec.label, page, fresh)))
    const outcome = await inCells(fresh, 'next', spec.label)
    if (outcome !== 'completed') violations.push({ what: 'next turn fails', detail: outcome })
  })
  await Promise.all(judging)
  const errors = [page, fresh].map(async (each) => (await inCells(each, 'state')).errors)
  for (const detail of (await Promise.all(errors)).flat())
    played[0]?.violations.push({ what: 'uncaught error', detail })
  for (const detail of await keptLocks(fresh))
    played[0]?.violations.push({ what: 'lock is kept', detail })
  return played.map(({ cell, violations }) => ({ cell, violations }))
}

/** The locks of conversations that stay held: a run's are released behind its end. */
async function keptLocks(page: Page): Promise<readonly string[]> {
  const patience = new Patience()
  for (;;) {
    const locks = (await inCells(page, 'locks')).filter((name) => name.includes('trial-'))
    if (locks.length === 0 || patience.isOver(locks)) return locks
    await sleep(50)
  }
}

/** Ends the conversation's open run, if there still is one. */
async function finish({ spec, world, violations }: Played, page: Page): Promise<void> {
  const patience = new Patience()
  for (;;) {
    await inCells(page, 'resume', spec.label)
    await inCells(page, 'answer', [spec.label])
    const { handles } = await inCells(page, 'state')
    if (!handles.some(({ label, isOpen }) => label === spec.label && isOpen)) return
    if (!patience.isOver([handles, world.effects.length, world.requests.length])) {
      await sleep(50)
      continue
    }
    violations.push({
      what: 'run does not end',
      detail: await inCells(page, 'explain', spec.label),
    })
    return
  }
}

/** The page that lived through it shows what the fresh one reads from the store. */
async function compareViews(label: string, page: Page, fresh: Page): Promise<CellViolation[]> {
  const patience = new Patience()
  for (;;) {
    const views = await Promise.all([page, fresh].map((each) => inCells(each, 'shown', label)))
    const [lived, read] = views
    const isSame = JSON.stringify(lived) === JSON.stringify(read)
    if (isSame && read?.status !== 'loading') return []
    if (patience.isOver(views))
      return [{ what: 'views differ', detail: firstDifference(lived, read) }]
    await sleep(50)
  }
}

/** Names the first field in which two snapshots differ. */
function firstDifference(a: unknown, b: unknown, at = ''): string {
  if (typeof a === 'object' && typeof b === 'object' && a && b) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)])
    for (const key of keys) {
      const [left, right] = [a, b].map((one) => (one as Record<string, unknown>)[key])
      if (JSON.stringify(left) !== JSON.stringify(right))
        return firstDifference(left, right, `${at}.${key}`)
    }
  }
  return `${at}: ${JSON.stringify(a)?.slice(0, 200)} / ${JSON.stringify(b)?.slice(0, 200)}`
}
