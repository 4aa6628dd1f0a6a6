import { readdirSync, readFileSync } from 'node:fs'
import semver from 'semver'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { inProject, manifest } from '../../../scripts/lib/project.mjs'

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Job {
  readonly steps: readonly Step[]
  readonly permissions?: Record<string, string>
  readonly 'timeout-minutes'?: number
  readonly needs?: string
  readonly strategy?: { readonly matrix: Record<string, readonly unknown[]> }
}
interface Workflow {
  readonly name: string
  readonly on: Record<string, unknown>
  readonly permissions: Record<string, string>
  readonly jobs: Record<string, Job>
}

const folder = '.github/workflows'
const workflows = Object.fromEntries(
  readdirSync(inProject(folder)).map((file) => [file, read(`${folder}/${file}`) as Workflow]),
)
const jobs = Object.values(workflows).flatMap((workflow) => Object.values(workflow.jobs))
const steps = jobs.flatMap((job) => job.steps)

function read(file: string): unknown {
  return parse(readFileSync(inProject(file), 'utf8'), { strict: true, uniqueKeys: true })
}

test('workflows have the fields GitHub requires and a time limit', () => {
  expect(Object.keys(workflows)).toEqual([
    'more.yml',
    'mutation.yml',
    'release.yml',
    'site.yml',
    'test.yml',
  ])
  for (const workflow of Object.values(workflows))
    expect(workflow).toMatchObject({ name: expect.any(String), on: expect.any(Object) })
  for (const job of jobs)
    expect(job).toMatchObject({
      'runs-on': expect.any(String),
      'timeout-minutes': expect.any(Number),
      steps: expect.any(Array),
    })
  for (const { uses, run } of steps) expect([uses, run].filter(Boolean)).toHaveLength(1)
})

test('actions are pinned by commit, with the version beside it', () => {
  for (const file of Object.keys(workflows)) {
    const lines = readFileSync(inProject(folder, file), 'utf8').match(/^.*\buses:.*$/gm) ?? []
    for (const line of lines)
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  }
})

test('tests run on the minimum Node version and on the development version', () => {
  const { engines } = manifest() as { engines: { node: string } }
  const least = semver.minVersion(engines.node)?.major
  const developed = Number(readFileSync(inProject('.nvmrc'), 'utf8'))
  const { node = [] } = workflows['test.yml']?.jobs['test']?.strategy?.matrix ?? {}
  expect(node).toEqual(expect.arrayContaining([least, developed]))
})

test('workflows can only read the repository; only publishing gets more rights', () => {
  expect(workflows['test.yml']?.permissions).toEqual({ contents: 'read' })
  expect(workflows['mutation.yml']?.permissions).toEqual({ contents: 'read' })
  expect(workflows['release.yml']?.permissions).toEqual({})
  expect(workflows['release.yml']?.jobs['check']?.permissions).toEqual({ contents: 'read' })
  expect(workflows['release.yml']?.jobs['publish']?.permissions).toEqual({ 'id-token': 'write' })
  expect(workflows['site.yml']?.permissions).toEqual({})
  expect(workflows['site.yml']?.jobs['build']?.permissions).toEqual({ contents: 'read' })
  const deploy = workflows['site.yml']?.jobs['deploy']
  expect(deploy?.permissions).toEqual({ 'id-token': 'write', pages: 'write' })
  expect(deploy?.steps.every(({ run }) => run === undefined)).toBe(true)
  expect(jobs.filter((job) => job.permissions?.['id-token'])).toHaveLength(2)
})

test('releases are checked before, and the publishing job runs no project code', () => {
  const release = workflows['release.yml']
  expect(release?.on).toEqual({ push: { tags: ['v*'] } })
  expect(release?.jobs['check']?.steps.map(({ run }) => run)).toContain('npm run release:check')
  const publish = release?.jobs['publish']
  expect(publish?.needs).toBe('check')
  expect(publish?.steps.flatMap(({ run }) => run ?? [])).toEqual([
    'npm publish ./*.tgz --provenance --access public',
  ])
  expect(publish?.steps.some(({ uses }) => uses?.startsWith('actions/checkout'))).toBe(false)
})

test('a new sample of mutants is tested every week', () => {
  const mutation = workflows['mutation.yml']
  expect(mutation?.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/ \* \* \d$/) }] })
  expect(mutation?.jobs['mutation']?.steps.map(({ run }) => run)).toContainEqual(
    expect.stringContaining('npm run mutate -- --sample 200 --seed ${{ github.run_number }}'),
  )
})

test('scripts used in workflows exist', () => {
  const { scripts } = manifest() as { scripts: Record<string, string> }
  const named = steps.flatMap(({ run }) => /^npm (?:run )?([\w:]+)/.exec(run ?? '')?.[1] ?? [])
  const ownWords = new Set(['ci', 'publish'])
  for (const name of named.filter((word) => !ownWords.has(word)))
    expect(scripts).toHaveProperty(name)
})

test('issue forms have unique ids', () => {
  const forms = '.github/ISSUE_TEMPLATE'
  for (const file of readdirSync(inProject(forms)).filter((name) => name !== 'config.yml')) {
    const form = read(`${forms}/${file}`) as { body: { type: string; id?: string }[] }
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const ids = form.body.flatMap(({ type, id }) => (type === 'markdown' ? [] : [id]))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain(undefined)
  }
})
