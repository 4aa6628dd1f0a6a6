import { readFileSync } from 'node:fs'
import semver from 'semver'
import { expect, test } from 'vitest'
import { inProject, manifest, readJson } from '../../../scripts/lib/project.mjs'

interface LockedPackage {
  readonly engines?: { readonly node?: string }
}

/** The least versions of Node that the project is developed and tested on; `requireNode` knows them, too. */
const LEAST = ['20.19.0', '22.13.0', '24.0.0']

const locked = Object.entries(
  (readJson('package-lock.json') as { packages: Record<string, LockedPackage> }).packages,
)

test('the supported range of Node begins with the minimum version', () => {
  const { engines } = manifest() as { engines: { node: string } }
  expect(semver.minVersion(engines.node)?.version).toBe(LEAST[0])
})

for (const node of LEAST) {
  test(`no dependency's engines exclude Node ${node}`, () => {
    const excluding = locked
      .filter(([, { engines }]) => engines?.node && !semver.satisfies(node, engines.node))
      .map(([folder, { engines }]) => `${folder} needs Node ${engines?.node}`)
    expect(excluding).toEqual([])
  })
}

test('.nvmrc names a version in the range', () => {
  const wanted = readFileSync(inProject('.nvmrc'), 'utf8').trim()
  const { engines } = manifest() as { engines: { node: string } }
  expect(semver.subset(wanted, engines.node)).toBe(true)
})

test('the lockfile names only the public registry', () => {
  const text = readFileSync(inProject('package-lock.json'), 'utf8')
  const hosts = [...text.matchAll(/"resolved": "https?:\/\/([^/"]+)/g)].map((match) => match[1])
  expect(hosts.filter((host) => host !== 'registry.npmjs.org')).toEqual([])
})
