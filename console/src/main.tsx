import { render } from 'preact';
import { App } from './app.tsx';
import { loadSession } from './session.ts';
import './style.css';

void loadSession();
const root = document.getElementById('console');
if (root) render(<App />, root);
