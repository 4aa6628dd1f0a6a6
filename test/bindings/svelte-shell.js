import { render } from 'svelte/server'
import Shell from './svelte/shell.svelte'

export const renderShell = (props) => render(Shell, { props }).body
