import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DriveOptions } from '../../apps/drive.ts'
import type { DrivenPage } from './driven-page.ts'
import { asApp, type App } from './page-apps.ts'
import type { Site } from './site.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../apps/pages')

/** Opens a page of test/apps/pages, written by hand, with the page's tools lent. */
export async function openExample(
  driven: DrivenPage,
  site: Site,
  { name, ...options }: DriveOptions & { readonly name: string },
): Promise<App> {
  for (const file of readdirSync(FOLDER).filter((one) => path.parse(one).name === name))
    site.add(`/${file}`, { body: readFileSync(path.join(FOLDER, file), 'utf8') })
  await driven.goto(`${site.url}/${name}.html`)
  return asApp(driven, options)
}
