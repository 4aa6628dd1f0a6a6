#!/usr/bin/env node
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { TEMPLATES, unpackTemplate } from './template-files.mjs'

const USAGE = `Usage: npm create offstage@latest <folder> [-- --template <name>]

Options:
  -t, --template <name>  ${TEMPLATES.join(', ')} (default: ${TEMPLATES[0]})
  -h, --help             shows this text
  -v, --version          shows the version`

const DEFAULT_FOLDER = 'my-app'
const DEFAULT_NAME = 'offstage-app'
const MAX_NAME_LENGTH = 214
/** Names that npm refuses. */
const RESERVED_NAMES = ['node_modules', 'favicon.ico']

const packageFolder = path.dirname(fileURLToPath(import.meta.url))

try {
  await main()
} catch (error) {
  console.error(`create-offstage: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

async function main() {
  const { values, positionals } = readArguments()
  if (values.help) return console.log(USAGE)
  if (values.version) return console.log(readJson(path.join(packageFolder, 'package.json')).version)

  if (values.template !== undefined) checkTemplate(values.template)
  const folder = positionals[0] ?? (await askFolder())
  const target = path.resolve(folder)
  checkTarget(target, folder)
  const template = values.template ?? (await askTemplate())

  createProject(target, template)
  console.log(`\nCreated ${String(folder)} from the template ${String(template)}. Next:\n`)
  for (const command of nextCommands(target)) console.log(`  ${command}`)
}

function readArguments() {
  const options = {
    template: { type: 'string', short: 't' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
  }
  const parsed = parseArgs({ options, allowPositionals: true })
  const [, extra] = parsed.positionals
  // npm in PowerShell drops `--`, takes `--template` for itself, and passes on its value alone.
  if (TEMPLATES.includes(extra)) parsed.values.template ??= extra
  else if (extra !== undefined)
    throw new Error(`Unexpected argument "${extra}". With npm, write -- before --template.`)
  return parsed
}

async function askFolder() {
  if (!process.stdin.isTTY) throw new Error(`Name a folder.\n\n${USAGE}`)
  return (await ask(`Folder (${DEFAULT_FOLDER}): `)) || DEFAULT_FOLDER
}

async function askTemplate() {
  const [defaultTemplate] = TEMPLATES
  if (!process.stdin.isTTY) return defaultTemplate
  const list = TEMPLATES.map((name, index) => `  ${index + 1} ${name}`).join('\n')
  const answer = (await ask(`${list}\nTemplate (1): `)) || defaultTemplate
  const template = TEMPLATES[Number(answer) - 1] ?? answer
  checkTemplate(template)
  return template
}

async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const quit = () => {
    console.log()
    process.exit(130)
  }
  terminal.once('SIGINT', quit) // Ctrl+C
  terminal.once('close', quit) // Ctrl+D
  const answer = await terminal.question(question)
  terminal.off('close', quit)
  terminal.close()
  return answer.trim()
}

/** Only listed names pass, so a name never becomes a path elsewhere. */
function checkTemplate(name) {
  if (!TEMPLATES.includes(name))
    throw new Error(`There is no template "${name}". Choose one of: ${TEMPLATES.join(', ')}.`)
}

function checkTarget(target, folder) {
  if (!existsSync(target)) return
  if (!statSync(target).isDirectory()) throw new Error(`"${folder}" is a file. Name a folder.`)
  // A repository without files is as good as an empty folder.
  if (filesIn(target).length > 0)
    throw new Error(`"${folder}" is not empty. Choose another folder.`)
}

function filesIn(target) {
  return readdirSync(target).filter((name) => name !== '.git')
}

/** Creates all of it or nothing: a full disk leaves no half project, for which the next try would be refused. */
function createProject(target, template) {
  const firstCreated = mkdirSync(target, { recursive: true })
  try {
    unpackTemplate(path.join(templatesFolder(), template), target)
    const manifestFile = path.join(target, 'package.json')
    const manifest = { ...readJson(manifestFile), name: toPackageName(path.basename(target)) }
    writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  } catch (error) {
    // A folder that was there before had no files, so all files in it are the template's.
    const created = firstCreated
      ? [firstCreated]
      : filesIn(target).map((name) => path.join(target, name))
    for (const file of created) rmSync(file, { recursive: true, force: true })
    throw error
  }
}

/** The packed templates. In a checkout, the examples that they are copied from. */
function templatesFolder() {
  const packed = path.join(packageFolder, 'templates')
  return existsSync(packed) ? packed : path.join(packageFolder, '../../examples')
}

/** Makes a name that npm accepts. */
function toPackageName(folderName) {
  const name = folderName
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
  return name === '' || RESERVED_NAMES.includes(name) ? DEFAULT_NAME : name
}

function nextCommands(target) {
  const [agent = ''] = (process.env.npm_config_user_agent ?? '').split('/')
  const manager = ['npm', 'pnpm', 'yarn', 'bun'].includes(agent) ? agent : 'npm'
  const folder = path.relative(process.cwd(), target)
  const folderArgument = folder.startsWith('-') ? `./${folder}` : folder
  const isPlain = /^[\w./\\:@-]+$/.test(folderArgument)
  const inQuotes =
    process.platform === 'win32'
      ? `"${folderArgument}"`
      : `'${folderArgument.replaceAll("'", String.raw`'\''`)}'`
  const quoted = isPlain ? folderArgument : inQuotes
  return [...(folder === '' ? [] : [`cd ${quoted}`]), `${manager} install`, `${manager} run dev`]
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
