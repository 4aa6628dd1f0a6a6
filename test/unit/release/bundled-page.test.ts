import { expect, test } from 'vitest'
import { bundledPackages } from '../../../scripts/lib/bundled-packages.mjs'
import { bundledPage } from '../../../scripts/lib/bundled-page.mjs'
import { inProject, manifest, readJson } from '../../../scripts/lib/project.mjs'
import { sbomOf } from '../../../scripts/lib/sbom.mjs'

const modules = ['ajv', '@cfworker/json-schema'].map((name) => ({
  id: inProject('node_modules', name, 'index.js'),
  build: 'worker',
  bytes: 12_345,
}))
const { components } = sbomOf(manifest(), bundledPackages(modules), readJson('package-lock.json'))
const reasons = { ajv: 'validates', '@cfworker/json-schema': 'validates without eval' }

test('the list of bundled packages has version, licence, size and reason of each', () => {
  const row = /^\| `ajv`.*$/m.exec(bundledPage(components, reasons))?.[0]
  const cells = row?.split('|').map((cell) => cell.trim())
  expect(cells).toEqual([
    '',
    '`ajv`',
    expect.stringMatching(/^8\./),
    'MIT',
    '12.3',
    '',
    '',
    'validates',
    '',
  ])
})

test('a package without a reason and a reason without a package are refused', () => {
  expect(() => bundledPage(components, { ajv: 'validates' })).toThrow('@cfworker/json-schema')
  expect(() => bundledPage(components, { ...reasons, gone: 'was used' })).toThrow('gone')
})
