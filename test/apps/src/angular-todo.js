// First, since it compiles the others' templates in the browser.
import '@angular/compiler'
import { Component, provideZonelessChangeDetection, signal } from '@angular/core'
import {
  FormControl,
  FormGroup,
  FormsModule,
  ReactiveFormsModule,
  Validators,
} from '@angular/forms'
import { bootstrapApplication } from '@angular/platform-browser'

const todo = {
  items: signal([{ id: 1, text: 'Buy milk', done: false }]),
  draft: signal(''),
  priority: signal('low'),
}

const TodoList = component({
  selector: 'todo-list',
  imports: [FormsModule],
  template: `<form (ngSubmit)="add()">
      <label>New <input name="draft" [(ngModel)]="draft" required #field="ngModel"></label>
      @if (field.invalid && field.touched) { <p role="alert">Say what to do</p> }
      <label>Priority <select name="priority" [(ngModel)]="priority"><option value="low">Low</option><option value="high">High</option></select></label>
      <button [disabled]="field.invalid">Add</button>
    </form>
    <ul>@for (item of items(); track item.id) {
      <li><label><input type="checkbox" [(ngModel)]="item.done"> {{ item.text }}</label>
        <button (click)="remove(item.id)">Delete {{ item.text }}</button></li>
    } @empty { <li>Nothing to do</li> }</ul>`,
  type: class {
    items = todo.items
    draft = todo.draft
    priority = todo.priority
    add() {
      this.items.update((items) => [...items, { id: Date.now(), text: this.draft(), done: false }])
      this.draft.set('')
    }
    remove(id) {
      this.items.update((items) => items.filter((item) => item.id !== id))
    }
  },
})

const { required, email, min, max, requiredTrue } = Validators
const controls = {
  name: new FormControl('', [required]),
  email: new FormControl('', { validators: [required, email], updateOn: 'blur' }),
  guests: new FormControl(1, [min(1), max(9)]),
  room: new FormControl(null, [required]),
  agreed: new FormControl(false, [requiredTrue]),
  day: new FormControl('', [required]),
  meal: new FormControl('', [required]),
}
const booking = new FormGroup(controls)
const rooms = [
  { id: 1, name: 'Small room' },
  { id: 2, name: 'Large room' },
]
const sent = signal(null)

const Booking = component({
  selector: 'room-booking',
  imports: [ReactiveFormsModule],
  template: `<form [formGroup]="form" (ngSubmit)="sent.set(form.value)">
    <label>Name <input formControlName="name"></label>
    @if (wrong('name')) { <p role="alert">A name is needed</p> }
    <label>Email <input type="email" formControlName="email"></label>
    @if (wrong('email')) { <p role="alert">That is no address</p> }
    <label>Guests <input type="number" formControlName="guests"></label>
    @if (wrong('guests')) { <p role="alert">From one to nine</p> }
    <label>Room <select formControlName="room">
      @for (room of rooms; track room.id) { <option [ngValue]="room">{{ room.name }}</option> }
    </select></label>
    <label>Day <input type="date" formControlName="day"></label>
    <fieldset><legend>Meal</legend>
      <label><input type="radio" formControlName="meal" value="fish"> Fish</label>
      <label><input type="radio" formControlName="meal" value="salad"> Salad</label></fieldset>
    <label><input type="checkbox" formControlName="agreed"> Agree</label>
    <button [disabled]="form.invalid">Book</button>
  </form>`,
  type: class {
    form = booking
    rooms = rooms
    sent = sent
    wrong(name) {
      return controls[name].invalid && controls[name].touched
    }
  },
})

const wizard = { step: signal(1), city: signal(''), finished: signal(false) }

const Wizard = component({
  selector: 'two-steps',
  imports: [FormsModule],
  template: `<section aria-label="Trip">
    @if (finished()) { <p role="status">Off to {{ city() }}</p> }
    @else if (step() === 1) {
      <label>City <input [(ngModel)]="city"></label>
      <button [disabled]="!city()" (click)="step.set(2)">Next</button>
    } @else {
      <p>Travel to {{ city() }}?</p>
      <button (click)="step.set(1)">Back</button><button (click)="finished.set(true)">Finish</button>
    }</section>`,
  type: class {
    step = wizard.step
    city = wizard.city
    finished = wizard.finished
  },
})

const App = component({
  selector: '#app',
  imports: [TodoList, Booking, Wizard],
  template: '<main><todo-list /><room-booking /><two-steps /></main>',
  type: class {},
})

/** What the decorator's syntax would do, which plain JavaScript lacks. */
function component({ type, ...metadata }) {
  return Component(metadata)(type) ?? type
}

const read = (signals) =>
  Object.fromEntries(Object.entries(signals).map(([name, value]) => [name, value()]))

window.state = () => ({
  ...read(todo),
  wizard: read(wizard),
  form: booking.getRawValue(),
  valid: booking.valid,
  touched: Object.keys(controls).filter((name) => controls[name].touched),
  sent: sent(),
})

await bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] })
