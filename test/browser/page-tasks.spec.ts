import { drive } from '../apps/drive.ts'
import { TASKS } from './page-tasks/all-tasks.ts'
import { handsOn } from './page-tasks/support/hands.ts'
import type { PageTask } from './page-tasks/support/task.ts'
import { expect, test } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { MORE, inSlice } from './support/more.ts'
import type { Site } from './support/site.ts'

// Small pages with something to do on them. A script solves each by what the tools say, as a model would; the
// page itself says whether it is done. The same script with another goal, and none, must not be rewarded.

/** Far more than they need, also on a busy machine. */
const TIMEOUT_MS = 400_000

for (const [group, tasks] of Object.entries(TASKS)) {
  test(
    `tasks: ${group}`,
    inSlice(group === 'drags, sliders and drawings'),
    async ({ driven, site }) => {
      test.setTimeout(TIMEOUT_MS)
      const failures = []
      for (const task of tasks)
        failures.push(await solve(task, { driven, site, seed: 1, which: 'goal' }))
      expect(failures.filter(Boolean).join('\n\n')).toBe('')
    },
  )

  for (const seed of [2, 3])
    test(
      `tasks and rejected false solutions: ${group}, seed ${seed}`,
      MORE,
      async ({ driven, site }) => {
        test.setTimeout(TIMEOUT_MS)
        const failures = []
        for (const task of tasks) {
          failures.push(await solve(task, { driven, site, seed, which: 'goal' }))
          failures.push(await solve(task, { driven, site, seed, which: 'decoy' }))
        }
        expect(failures.filter(Boolean).join('\n\n')).toBe('')
      },
    )
}

interface Place {
  readonly driven: DrivenPage
  readonly site: Site
  /** Varies the page and the task. */
  readonly seed: number
  readonly which: 'goal' | 'decoy'
}

/** Resolves to what went wrong, or nothing. */
async function solve(task: PageTask, { driven, site, seed, which }: Place): Promise<string> {
  const path = `/task-${task.name.replaceAll(/\W+/g, '-')}.html`
  site.add(path, { body: task.page(seed) })
  await driven.goto(site.url + path)
  const aim = await driven.evaluate(
    (key) => (window as unknown as { aims: Record<string, unknown> }).aims[key],
    which,
  )
  const reward = (): Promise<number> =>
    driven.evaluate(() => (window as unknown as { reward: number }).reward)
  if ((await reward()) !== 0) return `${task.name}: rewards nothing done`
  const tools = await drive(driven, task.options)
  let trouble = ''
  await task.solve(handsOn(tools), aim).catch((error: unknown) => {
    trouble = String(error)
  })
  if (!trouble) {
    const wanted = which === 'goal' ? 1 : 0
    await expect
      .poll(reward, { timeout: 5000 })
      .toBe(wanted)
      .catch(() => (trouble = `no reward of ${wanted}`))
  }
  return trouble && `${task.name}, ${which}: ${task.ask(aim)}\n${trouble}\n${tools.said}`
}
