"""Liquid and blocks to text and HTML; sanitising. Pure: no input or output."""
