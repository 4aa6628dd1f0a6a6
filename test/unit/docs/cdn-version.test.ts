import { expect, test } from 'vitest'
import { manifest } from '../../../scripts/lib/project.mjs'
import { filesBelow, read } from './sources.ts'

test('addresses of a CDN name the release, whose files belong together', () => {
  const { version } = manifest() as { version: string }
  const examples = filesBelow('examples', '.md')
  const pages = ['README.md', 'SKILL.md', ...filesBelow('docs', '.md'), ...examples]
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm\/offstage([^/\s]*)\/dist/g)].map(([, release]) => release),
  )
  expect(new Set(named)).toEqual(new Set([`@${version}`]))
})
