import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { OffstageError, type Skill } from '../../../src/index.ts'
import { defineSkill, loadSkill, type LoadSkillOptions } from '../../../src/skills/index.ts'
import { activate, pageWith } from './support.ts'

const SKILL = '---\nname: pdf\ndescription: Reads PDFs.\n---\n\n# PDF\n\nDo this.\n'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function refusal(source: string | URL, options?: LoadSkillOptions): Promise<OffstageError> {
  const thrown: unknown = await loadSkill(source, options).catch((error: unknown) => error)
  if (OffstageError.is(thrown)) return thrown
  throw new Error('It was not refused.', { cause: thrown })
}

function thrownBy(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (OffstageError.is(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return ''
}

describe('loadSkill', () => {
  it('reads the text of a SKILL.md', async () => {
    expect(await loadSkill(SKILL)).toEqual({
      name: 'pdf',
      description: 'Reads PDFs.',
      instructions: '# PDF\n\nDo this.',
      loaded: true,
      metadata: { diagnostics: [] },
    })
  })

  it('keeps other fields as metadata, and reports unsupported ones as diagnostics', async () => {
    const text = [
      '\uFEFF---',
      'name: pdf',
      'description: >-',
      '  Reads PDFs. Use when:',
      '  there is one.',
      'license: MIT',
      `compatibility: ${'x'.repeat(501)}`,
      'allowed-tools: Bash(git add:*) Read, Write',
      'metadata:',
      '  author: me',
      'hooks: { a: b }',
      'version: 1',
      '---',
      'Do this.',
    ].join('\r\n')
    const { description, metadata } = await loadSkill(text)
    expect(description).toBe('Reads PDFs. Use when: there is one.')
    expect(metadata).toEqual({
      license: 'MIT',
      allowedTools: ['Bash(git add:*)', 'Read', 'Write'],
      metadata: { author: 'me' },
      diagnostics: [
        { line: 11, message: expect.stringContaining('hooks') as string },
        { line: 12, message: 'The field version is not known.' },
        { line: 7, message: 'The field compatibility is no text of 500 characters at most.' },
      ],
    })
  })

  test.each([
    ['Hello\nthere', 'front matter'],
    ['---\nname: pdf\n---\nDo', 'description'],
    ['---\nname: pdf\ndescription: x\n---\n \n', 'instructions'],
    ['---\nname: PDF\ndescription: x\n---\nDo', 'Use a-z'],
    ['---\nname: a--b\ndescription: x\n---\nDo', 'Use a-z'],
    ['---\nname: __proto__\ndescription: x\n---\nDo', 'Use a-z'],
    [`---\nname: ${'a'.repeat(65)}\ndescription: x\n---\nDo`, '64 characters'],
    [`---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\nDo`, '1024 characters'],
    [`---\nname: a\ndescription: x\n---\n${'x'.repeat(100_001)}`, '100000 characters'],
    ['---\nname: [a]\ndescription: x\n---\nDo', 'Use a-z'],
    ['---\nname: *a\ndescription: x\n---\nDo', 'Line 2: The field name was left out'],
  ])('refuses %j', async (text, words) => {
    const { code, message, details } = await refusal(text)
    expect([code, message]).toEqual(['invalid-input', expect.stringContaining(words)])
    expect(Array.isArray(details?.['diagnostics'])).toBe(true)
    expect(message.length).toBeLessThan(1000)
  })

  it('fetches a skill from its address, and its files when they are read', async () => {
    const asked: string[] = []
    const origin = await serve(({ url = '' }, response) => {
      asked.push(url)
      if (url === '/skills/pdf/SKILL.md') response.end(SKILL)
      else if (url === '/skills/pdf/references/a%20b.md') response.end('Text A.')
      else response.writeHead(404).end()
    })
    const files = ['references/a b.md', 'gone.md']
    const skill = await loadSkill(`${origin}/skills/pdf/SKILL.md`, { files })
    expect([skill.name, skill.metadata.diagnostics]).toEqual(['pdf', []])
    expect(asked).toEqual(['/skills/pdf/SKILL.md'])
    const read = (path: string) => [['read_skill_file', { skill: 'pdf', path }]] as const
    const turns = [activate('pdf'), read('references/a b.md'), read('gone.md'), 'Ok.']
    const { agent } = pageWith([skill], turns)
    const { toolCalls } = await agent.run('Hi').result
    expect(toolCalls.slice(1).map(({ output }) => output)).toEqual([
      { type: 'text', value: 'Text A.' },
      expect.objectContaining({ message: expect.stringContaining('status 404') as string }),
    ])
  })

  it('reports a name that differs from its folder', async () => {
    const origin = await serve((_request, response) => response.end(SKILL))
    const { metadata } = await loadSkill(new URL(`${origin}/other/SKILL.md`))
    expect(metadata.diagnostics).toEqual([
      { line: 2, message: 'The field name is not the one of its folder, other.' },
    ])
  })

  it('refuses redirects to other origins, failed responses and long texts', async () => {
    const other = await serve((_request, response) => response.end(SKILL))
    const origin = await serve(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: `${other}/pdf/SKILL.md` }).end()
      else if (url === '/long') response.end(SKILL + 'x'.repeat(1_000_001))
      else if (url === '/page') response.end('<!doctype html>\n<p>Not found')
      else if (url === '/cut') response.destroy()
      else response.writeHead(500).end()
    })
    const codes: string[] = []
    for (const path of ['moved', 'long', 'page', 'cut', 'failed'])
      codes.push((await refusal(`${origin}/${path}`)).code)
    expect(codes).toEqual([
      'bad-response',
      'response-too-large',
      'invalid-input',
      'network',
      'bad-response',
    ])
    expect((await refusal('file:///etc/passwd')).code).toBe('invalid-input')
    expect((await refusal('data:text/plain,x')).code).toBe('invalid-input')
    expect((await refusal('')).code).toBe('invalid-input')
  })

  it('can be aborted before, while waiting, and while the text arrives', async () => {
    let begun = (): void => undefined
    const asked = [new Promise<void>((resolve) => (begun = resolve))]
    const origin = await serve(({ url }, response) => {
      if (url === '/flow') response.write(SKILL)
      begun()
    })
    const stopped = AbortSignal.abort('enough')
    expect((await refusal(`${origin}/wait`, { signal: stopped })).code).toBe('aborted')
    expect((await refusal(SKILL, { signal: stopped })).code).toBe('aborted')
    for (const path of ['wait', 'flow']) {
      const stop = new AbortController()
      const refused = refusal(`${origin}/${path}`, { signal: stop.signal })
      await asked.at(-1)
      stop.abort('enough')
      expect(await refused).toMatchObject({ code: 'aborted', message: 'It was stopped: enough' })
      asked.push(new Promise<void>((resolve) => (begun = resolve)))
    }
  })

  it('accepts files by safe paths only', async () => {
    expect((await loadSkill(SKILL, { files: { 'a.md': 'A' } })).files).toEqual({ 'a.md': 'A' })
    expect((await refusal(SKILL, { files: ['a.md'] })).code).toBe('invalid-config')
    const origin = await serve((_request, response) => response.end(SKILL))
    for (const path of [
      '../a.md',
      '/a.md',
      'https://b.example/a',
      'a/../b',
      'a\\b',
      '%2e%2e/a',
      'a?b',
      '',
      'a//b',
      'a#b',
      '.',
    ])
      expect([path, (await refusal(`${origin}/pdf/SKILL.md`, { files: [path] })).code]).toEqual([
        path,
        'invalid-config',
      ])
  })

  test.each(['constructor', 'toString', 'hasownproperty', 'then'])(
    'accepts the name %s like any other',
    async (name) => {
      const skill = await loadSkill(SKILL.replace('name: pdf', `name: ${name.toLowerCase()}`))
      const { agent, sent } = pageWith([skill], [activate(name.toLowerCase()), 'Ok.'])
      expect((await agent.run('Hi').result).toolCalls).toMatchObject([{ status: 'succeeded' }])
      expect(sent[1]!.instructions).toContain('Do this.')
    },
  )
})

describe('defineSkill', () => {
  const skill: Skill = { name: 'a', description: 'b', instructions: 'c' }

  it('returns a frozen copy', () => {
    const made = defineSkill(skill)
    expect(made).toEqual(skill)
    expect(made).not.toBe(skill)
    expect(Object.isFrozen(made)).toBe(true)
  })

  test.each<[object, string]>([
    [{ name: 'A b' }, 'Use a-z'],
    [{ name: undefined }, 'Use a-z'],
    [{ description: ' ' }, 'needs a description'],
    [{ instructions: '' }, 'needs instructions'],
    [{ instruction: 'x' }, 'Did you mean instructions?'],
    [{ files: { '../a': 'x' } }, 'without . or ..'],
    [{ files: { 'a.md': 5 } }, 'must be a text or a function'],
    [
      { files: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, ''])) },
      'more than 100',
    ],
    [{ tools: [{ name: 'x' }] }, 'needs'],
    [{ restrictTools: ['', 5] }, 'names of tools'],
    [{ restrictTools: 'x' }, 'restrictTools of the skill a must be array'],
  ])('refuses %j', (change, words) => {
    const said = thrownBy(() => defineSkill({ ...skill, ...change }))
    expect(said).toContain(words)
    expect(said).toMatch(/^invalid-config/)
  })

  it('refuses values that are not objects', () => {
    expect(thrownBy(() => defineSkill(null as never))).toContain('must be an object')
  })
})
