import { mount } from 'svelte'
import TodoList from './todo-list.svelte'

mount(TodoList, { target: document.querySelector('#app') })
