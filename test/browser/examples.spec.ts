import type { Locator, Page } from '@playwright/test'
import { EXAMPLES, prepareExample } from '../consumers/examples.ts'
import { packPackage } from '../consumers/prepare-app.ts'
import { serveFolder, type ServedApp, startServer } from '../consumers/serve-app.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Each example of examples/, installed from the packed package and used. The models are their own scripts.

const VITE = 'node_modules/vite/bin/vite.js'
const NEXT = 'node_modules/next/dist/bin/next'

/** How the built example is served. Default: its `dist`, as static files. */
const SERVERS: Readonly<Record<string, (port: string) => readonly string[]>> = {
  next: (port) => [NEXT, 'start', '--hostname', '127.0.0.1', '--port', port],
  'page-copilot': (port) => [VITE, '--host', '127.0.0.1', '--port', port],
  relay: () => ['server.js'],
  'multi-device': () => ['server.js'],
}

const TASK_APPS = ['vanilla', 'react', 'vue', 'svelte', 'next', 'relay']

/** `npm run test:consumers` tests all examples; `npm run test:more` only one, since installing them takes minutes. */
const all = process.env.OFFSTAGE_CONSUMERS === 'all'
test.describe.configure({ mode: 'default', timeout: 600_000 })

let tarball = ''
test.beforeAll(async () => {
  tarball = await packPackage('packed-for-examples')
})

for (const name of EXAMPLES.filter((example) => all || example === 'vanilla'))
  test.describe(name, MORE, () => {
    let served: ServedApp | undefined
    const errors: string[] = []

    test.beforeAll(async () => {
      const folder = await prepareExample(name, tarball)
      const server = SERVERS[name]
      served = server ? await startServer(folder, server) : await serveFolder(`${folder}/dist`)
    })
    test.afterAll(() => served?.close())
    test.beforeEach(({ context }) => {
      errors.length = 0
      context.on('weberror', (error) => errors.push(error.error().message))
    })
    test.afterEach(() => expect(errors).toEqual([]))

    const open = (page: Page): Promise<unknown> => page.goto(served?.url ?? '')
    play(name, open)
  })

type Open = (page: Page) => Promise<unknown>

function play(name: string, open: Open): void {
  if (TASK_APPS.includes(name)) playTasks(name, open)
  else if (name === 'assistant-ui') playAssistantUi(open)
  else if (name === 'page-copilot') playPageCopilot(open)
  else if (name === 'local-model') playLocalModel(open)
  else if (name === 'multi-device') playMultiDevice(open)
  else throw new Error(`examples/${name} has no test.`)
}

function playTasks(name: string, open: Open): void {
  test(`${name}: adds a task, and waits for an approval over a reload`, async ({ page }) => {
    await open(page)
    const tasks = page.locator('#tasks, .tasks').getByRole('listitem')
    await send(page, 'Please add milk')
    await expect(tasks).toHaveCount(1)
    await expect(tasks).toContainText('Buy milk')

    await send(page, 'Clear the list')
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await expect(approve).toBeVisible()
    await page.reload()
    await expect(tasks).toHaveCount(1)
    await press(approve)
    await expect(tasks).toHaveCount(0)
    await page.reload()
    await expect(tasks).toHaveCount(0)
  })
}

function playAssistantUi(open: Open): void {
  test('assistant-ui: its components show a call that waits for approval', async ({ page }) => {
    await open(page)
    const tasks = page.locator('.tasks').getByRole('listitem')
    await page.getByRole('button', { name: 'Add a task' }).click()
    await expect(tasks).toHaveCount(1)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('clear')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect(tasks).toHaveCount(0)
  })
}

function playPageCopilot(open: Open): void {
  test('page-copilot: one tag adds a chat that reads the page', async ({ page }) => {
    await open(page)
    await page.getByRole('button', { name: 'Open the assistant' }).click()
    await send(page, 'What is on this page?')
    const call = page.getByRole('log').getByRole('group', { name: 'Read the page' })
    await expect(call).toContainText('Done')
  })
}

function playLocalModel(open: Open): void {
  test('local-model: without a server, it says how to start one, and a script answers', async ({
    page,
  }) => {
    await open(page)
    await expect(page.getByRole('heading', { name: 'Start a server' })).toBeVisible()
    await expect(page.locator('#serve')).toContainText(new URL(page.url()).origin)
    await send(page, 'Please save a note')
    await expect(page.locator('#notes').getByRole('listitem')).toHaveText(['Connect a model'])
  })
}

function playMultiDevice(open: Open): void {
  test('multi-device: a second browser shows the conversation, and approves its call', async ({
    page,
    browser,
  }) => {
    const logIn = async (onto: Page): Promise<void> => {
      await open(onto)
      await onto.getByRole('textbox', { name: 'Your name' }).fill('ada')
      await onto.getByRole('button', { name: 'Log in' }).click()
    }
    await logIn(page)
    await send(page, 'Light up')
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible()

    const context = await browser.newContext()
    const other = await context.newPage()
    await logIn(other)
    const approve = other.getByRole('button', { name: 'Approve', exact: true })
    await press(approve)
    await expect(other.getByRole('log')).toContainText('You decided about')
    await expect(page.getByRole('log')).toContainText('You decided about')
    await context.close()
  })
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Cards take presses half a second after they appear. */
async function press(button: Locator): Promise<void> {
  await expect(button).toBeEnabled()
  await button.click()
  await expect(button).toBeHidden()
}
