// npm run release:repository -- owner/name [--funding https://…]: writes the repository's address (on GitHub)
// into package.json. It stands nowhere else, as documents link to each other by relative paths.
import { writeFileSync } from 'node:fs'
import { fail } from './lib/install.mjs'
import { inProject, manifest } from './lib/project.mjs'
import { bin } from './lib/run.mjs'
import { fundingOf, PLACEHOLDER, repositoryFields } from './lib/release-rules.mjs'

const [repository, option, funding] = process.argv.slice(2)
if (!/^[\w.-]+\/[\w.-]+$/.test(repository ?? '') || repository.includes(PLACEHOLDER))
  fail('Whose repository? npm run release:repository -- owner/name [--funding https://…]')
if (option !== undefined && !(option === '--funding' && URL.canParse(funding ?? '')))
  fail(`'${option}' is not known here: only --funding and an address after it.`)

const fields = {
  ...manifest(),
  ...repositoryFields(repository),
  funding: funding ?? fundingOf(repository),
}
writeFileSync(inProject('package.json'), `${JSON.stringify(fields, null, 2)}\n`)
// Formatting also restores the usual order of the fields.
const { code } = await bin('oxfmt', ['package.json'])
if (code !== 0) process.exit(code)
console.log(`package.json names https://github.com/${repository}.`)
