import { expect, test } from 'vitest'
import { manifest } from '../../../scripts/lib/project.mjs'
import {
  fundingOf,
  PLACEHOLDER,
  repositoryFields,
  repositoryProblems,
  tarballProblems,
  versionProblems,
} from '../../../scripts/lib/release-rules.mjs'

const set = { name: 'offstage', ...repositoryFields('some/where') }

test('nothing is released while the repository address is a placeholder', () => {
  const unset = { ...set, ...repositoryFields(`${PLACEHOLDER}/offstage`) }
  expect(repositoryProblems(unset)).toHaveLength(1)
  expect(repositoryProblems(set)).toEqual([])
})

test('the placeholder is no valid owner, and occurs only in fields set together', () => {
  expect(PLACEHOLDER).toMatch(/_/)
  const fields = Object.entries(manifest() as object)
    .filter(([, value]) => JSON.stringify(value).includes(PLACEHOLDER))
    .map(([name]) => name)
  const own = [...Object.keys(repositoryFields('some/where')), 'funding']
  expect(fields.filter((name) => !own.includes(name))).toEqual([])
})

test('an unset funding address is a placeholder, too', () => {
  expect(repositoryProblems({ ...set, funding: fundingOf(PLACEHOLDER) })).toHaveLength(1)
  expect(repositoryProblems({ ...set, funding: fundingOf('some/where') })).toEqual([])
  expect(repositoryProblems(set)).toEqual([])
})

test("homepage and bugs must match the repository, and releases can't come from a fork", () => {
  expect(repositoryProblems({ ...set, homepage: 'https://example.com' })).toHaveLength(1)
  expect(repositoryProblems(set, 'some/where')).toEqual([])
  expect(repositoryProblems(set, 'a/fork')).toHaveLength(1)
})

const changelog =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- A\n\n## [1.1.0] - 2025-01-01\n'
const agreed = { version: '1.2.0', locked: '1.2.0', changelog, tag: 'v1.2.0' }

test('version, lockfile, changelog and tag must agree', () => {
  expect(versionProblems(agreed)).toEqual([])
  expect(versionProblems({ ...agreed, tag: undefined })).toEqual([])
  expect(versionProblems({ ...agreed, tag: 'v1.2.1' })).toHaveLength(1)
  expect(versionProblems({ ...agreed, locked: '1.1.0' })).toHaveLength(1)
  expect(
    versionProblems({ ...agreed, version: '1.3.0', locked: '1.3.0', tag: 'v1.3.0' }),
  ).toHaveLength(1)
})

test('a release needs a date and an empty Unreleased section', () => {
  const undated = changelog.replace(' - 2026-01-02', '')
  expect(versionProblems({ ...agreed, changelog: undated })).toHaveLength(1)
  const left = changelog.replace('[Unreleased]\n', '[Unreleased]\n\n### Added\n\n- B\n')
  expect(versionProblems({ ...agreed, changelog: left })).toHaveLength(1)
})

const exports = { '.': { types: './dist/types/index.d.ts', default: './dist/index.js' } }
const files = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SKILL.md',
  'llms.txt',
  'llms-full.txt',
  'package.json',
  'dist/index.js',
  'dist/types/index.d.ts',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/sbom.cdx.json',
  'docs/a.md',
].map((path) => ({ path, size: 1 }))

test('the tarball must hold every entry, the licences and the SBOM', () => {
  expect(tarballProblems({ size: 9, files, exports })).toEqual([])
  for (const needed of ['dist/index.js', 'dist/types/index.d.ts', 'dist/sbom.cdx.json']) {
    const rest = files.filter(({ path }) => path !== needed)
    expect(tarballProblems({ size: 9, files: rest, exports })).toEqual([`${needed} is missing.`])
  }
})

test('the tarball may hold nothing else, and has a size limit', () => {
  for (const path of ['src/index.ts', 'dist/index.js.map', '.env', 'docs/a.png'])
    expect(
      tarballProblems({ size: 9, files: [...files, { path, size: 1 }], exports }),
    ).toHaveLength(1)
  expect(tarballProblems({ size: 2_000_000, files, exports })).toHaveLength(1)
  const large = [...files, { path: 'dist/large.js', size: 1_000_000 }]
  expect(tarballProblems({ size: 9, files: large, exports })).toHaveLength(1)
})
