import { readFileSync, writeFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { inProject } from '../../../scripts/lib/project.mjs'
import { OffstageError, type JsonObject } from '../../../src/index.ts'
import { PROVIDER_IDS } from '../../../src/protocol/model.ts'
import { agentFromConfig } from '../../../src/tools-from.ts'
import schema from '../../../src/connect/tools-from/agent.schema.json' with { type: 'json' }
import { schemaAsType } from './schema-as-type.ts'

const validate = new Ajv({ strict: true, allErrors: true }).compile(schema)

const TYPE_FILE = inProject('test/fixtures/types/agent-schema.ts')

test('the generated schema type matches the schema file', () => {
  const text = `// Made of src/connect/tools-from/agent.schema.json: WRITE=1 npx vitest run test/unit/tools-from/agent-schema.test.ts\nexport type SchemaConfig = ${schemaAsType(schema)}\n`
  if (process.env['WRITE']) writeFileSync(TYPE_FILE, text)
  expect(readFileSync(TYPE_FILE, 'utf8')).toBe(text)
})

test('the schema suggests all providers', () => {
  expect(schema.$defs.model.properties.provider.anyOf[0]?.enum).toEqual([...PROVIDER_IDS])
})

const model = { provider: 'ollama', model: 'm' }
const agent = { name: 'a', description: 'd' }

test.each<[place: string, config: JsonObject]>([
  ['the configuration', { model, instruction: 'x' }],
  ['a model', { model: { ...model, base_url: 'x' } }],
  ['an agent', { model, agents: [{ ...agent, maxstep: 1 }] }],
  ['a model of an agent', { model, agents: [{ ...agent, model: { ...model, modl: 'x' } }] }],
  ['a skill', { model, skills: [{ name: 's', description: 'd', instructions: 'i', file: {} }] }],
  ['a memory', { model, memory: [{ kind: 'keywordMemory', writeBak: true }] }],
  ['a composite tool', { model, compositeTools: [{ name: 't', description: 'd', runs: 'f' }] }],
  ['a word', { model, toolApproval: 'sometimes' }],
  ['a control tool', { model, controlTools: ['ask_usr'] }],
  ['a kind of value', { model, limits: { tokens: 'many' } }],
])('the schema and agentFromConfig both reject a mistake in %s', (_, config) => {
  expect(validate(config)).toBe(false)
  expect(() => agentFromConfig(config)).toThrow(OffstageError)
})
