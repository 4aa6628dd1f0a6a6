import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TEMPLATES } from '../../../packages/create-offstage/template-files.mjs'
import { inProject } from '../../../scripts/lib/project.mjs'
import { npm } from '../../../scripts/lib/run.mjs'
import { filesIn, unpack } from '../../../scripts/lib/unpack.mjs'

const GENERATED = ['node_modules', 'dist', '.next', 'package-lock.json']
const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  version: string
}
const USAGE = 'Usage: npm create offstage@latest <folder>'

/** A copy of the package and the examples, since packing writes beside the package's own files. */
let checkout = ''
let creator = ''
/** The package as npm packs it. */
let packed = ''
let folder = ''

beforeAll(async () => {
  checkout = mkdtempSync(path.join(os.tmpdir(), 'offstage-create-'))
  creator = path.join(checkout, 'packages/create-offstage')
  cpSync(inProject('packages/create-offstage'), creator, { recursive: true })
  cpSync(inProject('LICENSE'), path.join(checkout, 'LICENSE'))
  for (const name of TEMPLATES) {
    const filter = (file: string): boolean => !GENERATED.includes(path.basename(file))
    cpSync(exampleFolder(name), copyOf(name), { recursive: true, filter })
  }
  // Files that installing and building leave behind, and a maintainer's key.
  const vanilla = copyOf('vanilla')
  for (const name of ['node_modules', 'dist', '.next']) mkdirSync(path.join(vanilla, name))
  writeFileSync(path.join(vanilla, 'node_modules/module.js'), '')
  writeFileSync(path.join(vanilla, 'dist/index.html'), '')
  for (const name of ['package-lock.json', 'tsconfig.tsbuildinfo', 'next-env.d.ts', '.env.local'])
    writeFileSync(path.join(vanilla, name), '{}')

  const { code, output } = await npm(['pack', '--pack-destination', checkout], {
    cwd: creator,
    quiet: true,
  })
  expect(code, output).toBe(0)
  packed = await unpack(path.join(checkout, `create-offstage-${version}.tgz`))
})
afterAll(() => rmSync(checkout, { recursive: true }))
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-created-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const exampleFolder = (name: string): string => inProject(`examples/${name}`)
const copyOf = (name: string): string => path.join(checkout, 'examples', name)

interface Answer {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs the command in `folder`, without a terminal. */
function create(args: readonly string[], options: { from?: string; agent?: string } = {}): Answer {
  const { from = packed, agent = 'npm/11.6.0 node/v22.20.0 linux x64' } = options
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(from, 'index.mjs'), ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: { ...process.env, npm_config_user_agent: agent },
    },
  )
  return { code: status, output: stdout, errors: stderr }
}

function contentsOf(root: string): Map<string, string> {
  const files = filesIn(root).filter(
    (file) => !file.path.split('/').some((name) => GENERATED.includes(name)),
  )
  return new Map(files.map((file) => [file.path, readFileSync(path.join(root, file.path), 'utf8')]))
}

function nameIn(project: string): unknown {
  const text = readFileSync(path.join(folder, project, 'package.json'), 'utf8')
  return (JSON.parse(text) as { name: unknown }).name
}

function sentence({ code, output, errors }: Answer): string {
  expect([code, output]).toEqual([1, ''])
  return errors.trimEnd()
}

describe('the packed command', () => {
  for (const name of TEMPLATES) {
    test(`creates the example ${name}, under the folder's name`, () => {
      const { code, errors } = create(['my-app', '--template', name])
      expect([code, errors]).toEqual([0, ''])

      const example = contentsOf(exampleFolder(name))
      const manifest = example.get('package.json') ?? ''
      const { name: oldName } = JSON.parse(manifest) as { name: string }
      example.set('package.json', manifest.replace(`"${oldName}"`, '"my-app"'))
      expect(example.has('.gitignore')).toBe(true)
      expect(contentsOf(path.join(folder, 'my-app'))).toEqual(example)
    })
  }

  test('has neither installed packages nor built files nor lockfiles', () => {
    const names = filesIn(packed).flatMap((file) => file.path.split('/'))
    expect(
      names.filter((name) => GENERATED.includes(name) || name.endsWith('.tsbuildinfo')),
    ).toEqual([])
    expect(names).toContain('LICENSE')
  })

  test('takes the first template if none is named', () => {
    expect(create(['my-app']).output).toContain('Created my-app from the template vanilla.')
  })

  test('prints the next commands for the package manager that runs it', () => {
    const { output } = create(['my-app', '-t', 'vue'], { agent: 'pnpm/10.18.0 npm/? node/v22' })
    expect(output.trimEnd().split('\n').slice(-3)).toEqual([
      '  cd my-app',
      '  pnpm install',
      '  pnpm run dev',
    ])
    expect(create(['other'], { agent: 'rm -rf/1' }).output).toContain('npm install')
  })

  test('creates into the current folder', () => {
    const { code, output } = create(['.'])
    expect(code).toBe(0)
    expect(output).not.toContain('cd ')
    expect(nameIn('.')).toBe(path.basename(folder).toLowerCase())
  })

  test('reports its version and usage', () => {
    expect(create(['--version']).output.trim()).toBe(version)
    expect(create(['--help']).output).toContain(USAGE)
  })
})

describe('in a checkout', () => {
  test('the examples are the templates, without what was installed or built', () => {
    expect(create(['my-app'], { from: creator }).code).toBe(0)
    expect([...contentsOf(path.join(folder, 'my-app')).keys()]).toEqual([
      ...contentsOf(exampleFolder('vanilla')).keys(),
    ])
  })
})

describe('a failure in the middle', () => {
  let broken = ''
  beforeAll(() => {
    broken = path.join(checkout, 'broken')
    cpSync(packed, broken, { recursive: true })
    // package.json is read after all files have been copied.
    rmSync(path.join(broken, 'templates/vanilla/package.json'))
  })

  test('removes the folders that were created', () => {
    expect(sentence(create(['deep/er/shop'], { from: broken }))).toContain('ENOENT')
    expect(readdirSync(folder)).toEqual([])
  })

  test('empties a folder that was there before, and keeps its repository', () => {
    mkdirSync(path.join(folder, '.git'))
    writeFileSync(path.join(folder, '.git/HEAD'), 'ref')
    expect(sentence(create(['.'], { from: broken }))).toContain('ENOENT')
    expect([...contentsOf(folder)]).toEqual([['.git/HEAD', 'ref']])
  })
})

describe('the name in package.json', () => {
  for (const [given, expected] of [
    ['My App', 'my-app'],
    ['_private', 'private'],
    ['.hidden', 'hidden'],
    ['Größe & Co', 'gr-e-co'],
    ['日本', 'offstage-app'],
    ['node_modules', 'offstage-app'],
    ['deep/er/shop', 'shop'],
  ] as const) {
    test(`is ${expected} for the folder ${given}`, () => {
      expect(create([given]).code).toBe(0)
      expect(nameIn(given)).toBe(expected)
    })
  }
})

describe('the command refuses', () => {
  test('a folder that is not empty, and leaves it as it is', () => {
    mkdirSync(path.join(folder, 'shop'))
    writeFileSync(path.join(folder, 'shop/package.json'), 'mine')
    expect(sentence(create(['shop']))).toBe(
      'create-offstage: "shop" is not empty. Choose another folder.',
    )
    expect([...contentsOf(folder)]).toEqual([['shop/package.json', 'mine']])
  })

  test('a file', () => {
    writeFileSync(path.join(folder, 'shop'), '')
    expect(sentence(create(['shop']))).toBe('create-offstage: "shop" is a file. Name a folder.')
  })

  for (const name of ['angular', '../../etc', 'vanilla/src', '.', ''])
    test(`the template "${name}", before it creates a folder`, () => {
      expect(sentence(create(['my-app', '--template', name]))).toBe(
        `create-offstage: There is no template "${name}". Choose one of: vanilla, react, vue, svelte, next.`,
      )
      expect(filesIn(folder)).toEqual([])
    })

  test('to guess a folder without a terminal', () => {
    const errors = sentence(create([]))
    expect(errors).toContain('Name a folder.')
    expect(errors).toContain(USAGE)
  })

  test('unknown options, and options that npm took for itself', () => {
    expect(sentence(create(['my-app', '--typescript']))).toContain("'--typescript'")
    expect(sentence(create(['my-app', 'strict']))).toBe(
      'create-offstage: Unexpected argument "strict". With npm, write -- before --template.',
    )
  })

  test('npm in PowerShell passes on only the name of the template', () => {
    expect(create(['my-app', 'vue']).code).toBe(0)
    expect(contentsOf(path.join(folder, 'my-app')).has('src/app.vue')).toBe(true)
  })
})
