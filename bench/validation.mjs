// Checking a large input against its schema: the worker's own validator, and the same with Ajv before it (offstage/ajv),
// in one run. Each must accept the value, which neither has seen before.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { ajvValidator } from '../dist/ajv.js'

const ENTRIES = Number(process.env.ENTRIES ?? 10_000)
const ROUNDS = Number(process.env.ROUNDS ?? 15)

const row = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    name: { type: 'string', minLength: 1, maxLength: 80 },
    state: { enum: ['open', 'paid', 'late'] },
    tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' }, maxItems: 5 },
    price: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] },
  },
  required: ['id', 'name', 'state'],
  additionalProperties: false,
}
const schema = { type: 'object', properties: { rows: { type: 'array', items: row } } }

const { createValidator } = await load()
const ownValidator = createValidator()
const ajvFirstValidator = createValidator(ajvValidator())

for (const count of [ENTRIES / 100, ENTRIES / 10, ENTRIES]) {
  const [ownMs, fastMs] = [ownValidator, ajvFirstValidator].map((validator) =>
    median(validator, count),
  )
  console.log(
    `${String(count).padStart(6)} rows   own ${ownMs.toFixed(2)} ms   with Ajv ${fastMs.toFixed(2)} ms   ratio ${(ownMs / fastMs).toFixed(1)}`,
  )
}

/** Milliseconds. The first rounds compile the schema and warm the code. */
function median(validator, count) {
  const times = Array.from({ length: ROUNDS + 3 }, (_, round) => {
    const value = { rows: Array.from({ length: count }, (_row, at) => rowOf(at + round)) }
    const startedAt = performance.now()
    const issues = validator.validate(schema, value)
    const ms = performance.now() - startedAt
    if (issues.length > 0) throw new Error(`A valid value was refused: ${issues[0].message}`)
    return ms
  })
  return times.slice(3).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]
}

function rowOf(at) {
  const price = at % 3 === 0 ? null : at / 2
  return { id: at + 1, name: `Order ${at}`, state: 'paid', tags: ['a', 'bc', 'def'], price }
}

async function load() {
  const outDir = await mkdtemp(join(tmpdir(), 'offstage-bench-'))
  const entry = join(import.meta.dirname, '../src/worker/validation/validator.ts')
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      target: 'es2023',
      lib: { entry, formats: ['es'], fileName: () => 'validator.mjs' },
    },
  })
  return import(pathToFileURL(join(outDir, 'validator.mjs')).href)
}
