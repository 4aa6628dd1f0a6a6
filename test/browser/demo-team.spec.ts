import { createServer } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import { findings } from './support/axe.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

test(
  'a team of three from JSON answers; the inspector shows its members and their work',
  MORE,
  async ({ page }, { workerIndex }) => {
    const server = await createServer({
      configFile: inProject('vite.demo.config.ts'),
      cacheDir: inProject(`.cache/vite-demo-team-${workerIndex}`),
      logLevel: 'error',
      server: { port: 5900 + workerIndex, hmr: false, watch: null },
    })
    await server.listen()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    await page.goto(`${server.resolvedUrls?.local[0] ?? ''}team.html`)
    const rows = (table: string) =>
      page.getByRole('grid', { name: table }).locator('.space').getByRole('row')

    // Before anything runs, the planner's tools are its members.
    await page.getByRole('tab', { name: 'Tools' }).click()
    await expect(rows('Tools')).toHaveText([
      /search_products[^]*not-enabled/,
      /researcher\s*Researcher\s*enabled/,
      /writer\s*Writer\s*enabled/,
    ])

    const members = page.getByRole('list', { name: 'Members' }).getByRole('button')
    await members.focus()
    await page.evaluate(() =>
      document.querySelector('offstage-chat')?.send('A gift for someone who loves tea'),
    )
    await expect(members).toHaveText([
      'Planner: idle',
      'Researcher: succeeded',
      'Writer: succeeded',
    ])
    await expect(page.getByRole('log', { name: 'Messages' })).toContainText('the green teapot')
    // The same button, through all of the answer.
    await expect(members.first()).toBeFocused()

    await page.getByRole('tab', { name: 'Timeline' }).click()
    await expect(rows('Timeline').filter({ hasText: 'Researcher' })).toContainText('succeeded')
    await expect(rows('Timeline').filter({ hasText: 'Writer' })).toContainText('succeeded')
    // Each member has a conversation of its own, with the composite tool and the call that this tool made.
    await members.nth(1).click()
    await expect(rows('Timeline').filter({ hasText: 'Find gifts' })).toContainText('succeeded')
    await expect(rows('Timeline').filter({ hasText: 'Search the catalogue' })).toHaveCount(2)
    await members.nth(2).click()
    await expect(rows('Timeline').filter({ hasText: 'Activate a skill' })).toContainText(
      'succeeded',
    )
    expect(await findings(page, 'body')).toEqual([])
    expect(problems).toEqual([])
    await server.close()
  },
)
