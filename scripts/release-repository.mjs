// npm run release:repository -- owner/name [--funding https://…]: writes the repository's address (on GitHub)
// into package.json and that of create-offstage. It stands nowhere else, as documents link by relative paths.
import { writeFileSync } from 'node:fs'
import { fail } from './lib/install.mjs'
import { inProject, manifest, readJson } from './lib/project.mjs'
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
const creatorFile = 'packages/create-offstage/package.json'
const creator = readJson(creatorFile)
const creatorRepository = repositoryFields(repository)
const creatorFields = {
  ...creator,
  ...creatorRepository,
  repository: { ...creatorRepository.repository, directory: creator.repository.directory },
}
const written = { 'package.json': fields, [creatorFile]: creatorFields }
for (const [file, content] of Object.entries(written))
  writeFileSync(inProject(file), `${JSON.stringify(content, null, 2)}\n`)
// Formatting also restores the usual order of the fields.
const { code } = await bin('oxfmt', Object.keys(written))
if (code !== 0) process.exit(code)
console.log(`${Object.keys(written).join(' and ')} name https://github.com/${repository}.`)
