import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { bundledPackages } from '../../../scripts/lib/bundled-packages.mjs'
import { inProject, manifest, readJson } from '../../../scripts/lib/project.mjs'
import { renderedBytes, sbomOf } from '../../../scripts/lib/sbom.mjs'

const names = Object.keys(readJson('etc/bundled.json') as object)

function sbom(order: readonly string[] = names): ReturnType<typeof sbomOf> {
  const modules = order.flatMap((name) => [
    { id: inProject('node_modules', name, 'index.js'), build: 'worker', bytes: 10 },
    { id: inProject('node_modules', name, 'lib/part.js'), build: 'worker', bytes: 5 },
    { id: `\0${inProject('node_modules', name, 'index.js')}?commonjs`, build: 'page', bytes: 1 },
  ])
  const own = { id: inProject('src/index.ts'), build: 'page', bytes: 100 }
  return sbomOf(manifest(), bundledPackages([own, ...modules]), readJson('package-lock.json'))
}

/** Rules of CycloneDX 1.6 for the parts used here. */
const component = {
  type: 'object',
  required: ['type', 'name', 'version', 'bom-ref', 'licenses', 'purl'],
  additionalProperties: false,
  properties: {
    type: { const: 'library' },
    'bom-ref': { type: 'string', minLength: 1 },
    group: { type: 'string' },
    name: { type: 'string', minLength: 1 },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
    description: { type: 'string' },
    scope: { enum: ['required', 'optional', 'excluded'] },
    hashes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['alg', 'content'],
        properties: { alg: { const: 'SHA-512' }, content: { pattern: '^[a-f0-9]{128}$' } },
      },
    },
    licenses: {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [
          {
            type: 'object',
            required: ['license'],
            properties: {
              license: {
                required: ['id'],
                properties: {
                  id: {
                    enum: ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'],
                  },
                },
              },
            },
          },
          { type: 'object', required: ['expression'] },
        ],
      },
    },
    purl: { type: 'string', pattern: '^pkg:npm/(?:%40[\\w.-]+/)?[\\w.-]+@\\d' },
    properties: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'value'],
        properties: { name: { type: 'string' }, value: { type: 'string' } },
      },
    },
  },
}
const schema = {
  type: 'object',
  required: ['bomFormat', 'specVersion', 'version', 'metadata', 'components', 'dependencies'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'http://cyclonedx.org/schema/bom-1.6.schema.json' },
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.6' },
    version: { type: 'integer', minimum: 1 },
    metadata: {
      type: 'object',
      additionalProperties: false,
      properties: {
        lifecycles: { type: 'array', items: { properties: { phase: { const: 'build' } } } },
        component,
      },
    },
    components: { type: 'array', uniqueItems: true, items: component },
    dependencies: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'object',
        required: ['ref'],
        additionalProperties: false,
        properties: {
          ref: { type: 'string' },
          dependsOn: { type: 'array', uniqueItems: true, items: { type: 'string' } },
        },
      },
    },
  },
}

test('the SBOM is CycloneDX 1.6', () => {
  const check = new Ajv2020({ strict: false, allErrors: true }).compile(schema)
  check(sbom())
  expect(check.errors).toBeNull()
})

test('the SBOM lists each bundled package once, without our own code', () => {
  const { components, metadata } = sbom()
  expect(components.map(({ purl }) => purl.replace(/@[^@]+$/, ''))).toEqual(
    names.map((name) => `pkg:npm/${name.replace('@', '%40')}`),
  )
  expect(metadata.component.name).toBe('offstage')
})

test("every reference in the SBOM's graph names one of its components", () => {
  const { components, metadata, dependencies } = sbom()
  const known = [metadata.component, ...components].map((part) => part['bom-ref'])
  expect(dependencies.map(({ ref }) => ref)).toEqual(known)
  for (const { dependsOn } of dependencies)
    for (const ref of dependsOn) expect(known).toContain(ref)
  // Each is needed by somebody.
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn))
  expect(components.filter((part) => !needed.has(part['bom-ref']))).toEqual([])
})

test('the SBOM is the same in any module order, with summed sizes', () => {
  expect(JSON.stringify(sbom(names.toReversed()))).toBe(JSON.stringify(sbom()))
  const [first] = sbom().components
  expect(first && renderedBytes(first, 'worker')).toBe(15)
  expect(first && renderedBytes(first, 'global')).toBe(0)
})
