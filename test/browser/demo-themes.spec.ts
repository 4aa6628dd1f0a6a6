import { createServer } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import { findings } from './support/axe.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

test(
  'themes and variables apply live, and the result can be copied as CSS',
  MORE,
  async ({ page }, { workerIndex }) => {
    const server = await createServer({
      configFile: inProject('vite.demo.config.ts'),
      cacheDir: inProject(`.cache/vite-demo-themes-${workerIndex}`),
      logLevel: 'error',
      server: { port: 5950 + workerIndex, hmr: false, watch: null },
    })
    await server.listen()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${server.resolvedUrls?.local[0] ?? ''}themes.html`)
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    const ground = (): Promise<string> =>
      approve.evaluate((button) => getComputedStyle(button).backgroundColor)
    const css = page.getByLabel('CSS', { exact: true })
    await expect(approve).toBeEnabled()
    await expect.poll(ground).toBe('rgb(36, 89, 214)')
    await expect(page.getByRole('columnheader', { name: 'price' })).toHaveCSS('text-align', 'end')
    // Code and tables have colours and grounds of their own.
    await expect(page.getByLabel('code-name, dark')).toHaveValue('#8db8f8')

    for (const [theme, light, dark] of [
      ['graphite', 'rgb(36, 41, 47)', 'rgb(230, 232, 235)'],
      ['violet', 'rgb(99, 52, 209)', 'rgb(183, 155, 255)'],
      ['paper', 'rgb(154, 59, 30)', 'rgb(240, 161, 127)'],
    ] as const) {
      await page.getByRole('button', { name: theme }).click()
      await page.getByRole('button', { name: 'light', exact: true }).click()
      await expect.poll(ground).toBe(light)
      expect(await findings(page, 'offstage-chat')).toEqual([])
      await page.getByRole('button', { name: 'dark', exact: true }).click()
      await expect.poll(ground).toBe(dark)
      expect(await findings(page, 'offstage-chat')).toEqual([])
    }
    await page.getByLabel('accent, dark', { exact: true }).fill('#ff8800')
    await page.getByLabel('radius', { exact: true }).fill('2px')
    await expect.poll(ground).toBe('rgb(255, 136, 0)')
    await expect(css).toContainText('--offstage-accent: light-dark(#9a3b1e, #ff8800);')
    await expect(css).toContainText('--offstage-radius: 2px;')
    await page.getByRole('button', { name: 'none' }).click()
    await expect(css).toHaveText('/* The defaults. */')
    expect(await findings(page, 'body')).toEqual([])
    expect(problems).toEqual([])
    await server.close()
  },
)
