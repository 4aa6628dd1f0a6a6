import path from 'node:path'
import { serveSite, type Site } from '../browser/support/site.ts'

/** Serves the pages of all kinds of trials. */
export async function serveTorture(): Promise<Site> {
  const root = path.resolve(import.meta.dirname, '../..')
  const site = await serveSite({
    folders: { '/dist/': path.join(root, 'dist'), '/torture/': path.join(root, 'test/torture') },
  })
  const scripts = { torture: 'page.js', cells: 'cell-page.js' }
  for (const [name, script] of Object.entries(scripts))
    site.add(`/${name}.html`, {
      body: `<!doctype html><title>Torture</title><script type="module" src="/torture/${script}"></script>`,
    })
  return site
}
