import { readFile, rm, mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { inProject } from '../../scripts/lib/project.mjs'
import { serveSite } from './support/site.ts'
import { expect, test } from './support/test.ts'

// The page on the README's first screen, saved as a file, with a server of this machine in place of the CDN.

const CDN = 'https://cdn.jsdelivr.net/npm/offstage@0.1.0/dist'

test("the README's page, saved as a file, runs a call approved after a reload", async ({
  page,
}) => {
  const readme = await readFile(inProject('README.md'), 'utf8')
  const html = /```html\n([^]*?)```/.exec(readme)?.[1] ?? ''
  expect(html.split(CDN)).toHaveLength(3)
  const cdn = await serveSite({
    folders: { '/': inProject('dist') },
    headers: () => ({ 'access-control-allow-origin': '*' }),
  })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-readme-'))
  const file = path.join(folder, 'index.html')
  await writeFile(file, html.replaceAll(CDN, cdn.url))
  await page.goto(pathToFileURL(file).href)
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  await page.getByRole('textbox').fill('A mug, please')
  await page.keyboard.press('Enter')
  await expect(approve).toBeVisible()
  await page.reload()
  await expect(approve).toBeVisible()
  await expect(page.locator('#cart')).toHaveText('empty')
  await approve.click()
  await expect(page.locator('#cart')).toHaveText('blue mug')
  await expect(page.getByRole('article').getByText('It is in your cart.')).toBeVisible()
  await cdn.close()
  await rm(folder, { recursive: true })
})
